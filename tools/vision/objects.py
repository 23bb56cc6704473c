"""Looking for objects in a span: frames are chosen, things found in them and followed, shot by shot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.engines.objects import FoundObject, ObjectEngine, ObjectQuery
from longtake.preprocess.engines.objects_opencv import OpenCvObjects
from longtake.preprocess.engines.objects_query import parse_query
from longtake.preprocess.engines.objects_tracks import Track, follow
from longtake.preprocess.engines.people import Footage, PeopleEngine
from longtake.preprocess.engines.visual_question import VisualQuestionEngine
from longtake.tools.context import ToolContext
from longtake.tools.objects_looks import AGAIN, Seen, followed, frames_of, movers_of, shots_of
from longtake.tools.objects_moving import camera_moves, look_for_movement
from longtake.tools.result import ToolError
from longtake.tools.visual_questions import locate_things, read_pictures

BETTER = "owlv2 knows more: name it first in engines.objects"
_STEP = 0.1  # seconds between two looks at the nearest
_DENSE = 0.25  # seconds between looks up to which a thing that is seen only once or twice is noise
_FEWEST = 3
_LONG_SIDE = 960  # pixels of the pictures that engines see


def read_query(text: str) -> ObjectQuery:
    """Take a query apart; one that names nothing is a bad argument."""
    try:
        return parse_query(text)
    except ValueError as error:
        raise ToolError("bad_arguments", f"{error}.", "Name one kind of thing: 'person', 'red circles'.") from error


def look_for(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> Seen:
    """Find what a query asks for in a span, and follow it through each shot.

    Raises:
        ToolError: `unavailable`, when no engine here knows such things, or movement is asked for and the camera moves.
    """
    engine = _engine_for(context, query)
    if engine is None:
        return _look_further(context, span, query)
    if query.moving and not (query.thing or query.shape):
        return look_for_movement(context, span, query)
    shots = shots_of(context, span)
    step = max(_STEP, span.length / engine.most_pictures)
    tracks, pictures = [], 0
    for shot in shots:
        looks = [(time, engine.find(frame.bgr(_LONG_SIDE), query)) for time, frame in frames_of(context, shot, step)]
        found = _steady(follow(looks), len(looks), step)
        tracks += [track for track in found if track.travelled or not query.moving]
        pictures += len(looks)
    doubt = _shaken(tracks, camera_moves(context, span)) if query.moving else ""
    return Seen(tuple(tracks), engine.id, joined(shots), pictures, tuple(_limits(query, shots)), doubt)


def _shaken(tracks: Sequence[Track], moves: Sequence[TimeSpan]) -> str:
    """Why it cannot be told how many of these move: some are seen while the camera does; empty where none is."""
    spans = [TimeSpan(start=track.start, end=track.end) for track in tracks]
    during = [move for move in moves if any(move.overlaps(span) for span in spans)]
    where = ", ".join(map(str, during))
    return f"The camera moves in {where}, where what stands still seems to move." if during else ""


def seen_as(context: ToolContext, seen: Seen, span: TimeSpan, found: FoundObject, words: str) -> Evidence:
    """One thing that was seen, as evidence."""
    return Evidence(
        video=context.video.id,
        span=TimeSpan(start=round(span.start, 3), end=round(span.end, 3)),
        modality="visual",
        content=words,
        score=found.confidence,
        engine=seen.engine,
        box=found.box,
    )


def _engine_for(context: ToolContext, query: ObjectQuery) -> ObjectEngine | None:
    """The engine that knows such things: what colour, shape and movement tell needs no model and is exact without."""
    plain = OpenCvObjects(context.settings)
    if "opencv" in context.engines.settings.engines.objects and plain.cannot(query) is None:
        return plain
    if context.engines.report("objects").engine is None:
        return None
    engine: ObjectEngine = context.engines.load("objects")
    return engine if engine.cannot(query) is None else None


def _look_further(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> Seen:
    """What a vision-language model locates, or else the engine for people finds, where no finder of objects can."""
    if context.engines.report("visual_question").engine is not None:
        return _ask_for(context, span, query)
    people = _people_engine(context)
    if people and people.knows(query):
        return _look_for_people(context, span, query, people)
    raise _unknown(context, query)


def _people_engine(context: ToolContext) -> PeopleEngine | None:
    """The engine for people and faces; None where the profile names none."""
    if context.engines.report("people").engine is None:
        return None
    engine: PeopleEngine = context.engines.load("people")
    return engine


def _look_for_people(context: ToolContext, span: TimeSpan, query: ObjectQuery, engine: PeopleEngine) -> Seen:
    looked, notes = followed(span)
    shots = shots_of(context, looked)
    footage = [Footage(shot, partial(frames_of, context, shot), partial(movers_of, context, shot)) for shot in shots]
    found = engine.find(query, footage)
    return Seen(found.tracks, engine.id, joined(shots), found.pictures, (*notes, *found.notes), found.doubt)


def _unknown(context: ToolContext, query: ObjectQuery) -> ToolError:
    """That no engine knows such things, which one would, and what can be told instead."""
    engine: ObjectEngine = context.engines.load("objects")
    reasons = context.engines.report("objects").reasons
    people = "'people', 'faces', " if _people_engine(context) else ""
    better = "; ".join(f"{name} would know it, but {reason}" for name, reason in reasons.items())
    return ToolError(
        "unavailable",
        f"The engine {engine.id} {engine.cannot(query)}.",
        f"{better or BETTER}. Without it, {people}'moving things' and 'red circles' can be told.",
    )


def _ask_for(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> Seen:
    """What a vision-language model locates in a few pictures of the span."""
    model: VisualQuestionEngine = context.engines.load("visual_question")
    pictures = read_pictures(context, span)
    looks = [
        (each.time, [FoundObject(thing.label, thing.box, 1.0) for thing in locate_things(context, [query.name], each)])
        for each in pictures
    ]
    return Seen(tuple(follow(looks)), model.id, (span,), len(pictures), tuple(_limits(query, [span])))


def _steady(tracks: list[Track], looks: int, step: float) -> list[Track]:
    fewest = min(_FEWEST, looks) if step <= _DENSE else 1
    return [track for track in tracks if len(track.sightings) >= fewest]


def _limits(query: ObjectQuery, shots: list[TimeSpan]) -> list[str]:
    """What the way of counting leaves out or counts twice."""
    again = [AGAIN] if len(shots) > 1 else []
    return ["what moves without leaving its place is not counted", *again] if query.moving else again
