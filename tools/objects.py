"""Looking for objects in a span: frames are chosen, things found in them and followed, shot by shot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.engines.objects import FoundObject, ObjectEngine, ObjectQuery
from longtake.preprocess.engines.objects_moving import LONG_SIDE, MovingThings
from longtake.preprocess.engines.objects_opencv import OpenCvObjects
from longtake.preprocess.engines.objects_query import parse_query
from longtake.preprocess.engines.objects_tracks import Track, follow
from longtake.preprocess.engines.visual_question import VisualQuestionEngine
from longtake.preprocess.frames import Picture, read_frames
from longtake.tools.context import ToolContext
from longtake.tools.result import ToolError
from longtake.tools.visual_questions import locate_things, read_pictures

_STEP = 0.1  # seconds between two looks at the nearest
_MOVING_STEP = 1 / 15
_LONGEST = 300.0  # seconds of movement that are followed in one call
_SAMPLES = 60  # pictures from which the background is learnt
_AROUND = 15.0  # seconds before and after a span that show the background, too
_DENSE = 0.25  # seconds between looks up to which a thing that is seen only once or twice is noise
_FEWEST = 3
_ROUNDING = 0.001  # seconds to which frames are timed
_LONG_SIDE = 960  # pixels of the pictures that engines see


@dataclass(frozen=True)
class Seen:
    """The things that a query found, each with where it was seen, and how they were looked for."""

    query: ObjectQuery
    tracks: tuple[Track, ...]
    engine: str
    looked_at: tuple[TimeSpan, ...]
    pictures: int
    notes: tuple[str, ...] = ()

    def most_at_once(self) -> tuple[int, float]:
        """The most of them in one picture, and the first time at which there were as many, in seconds."""
        times = Counter(time for track in self.tracks for time, _ in track.sightings)
        most = max(times.values(), default=0)
        return most, min((time for time, count in times.items() if count == most), default=0.0)


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
    try:
        engine = _engine_for(context, query)
    except ToolError:
        if context.engines.report("visual_question").engine is None:
            raise
        return _ask_for(context, span, query)
    if query.moving and not (query.thing or query.shape):
        return _look_for_movement(context, span, query)
    shots = _shots(context, span)
    step = max(_STEP, span.length / engine.most_pictures)
    tracks, pictures = [], 0
    for shot in shots:
        looks = [(time, engine.find(picture, query)) for time, picture in _pictures(context, shot, step, _LONG_SIDE)]
        found = _steady(follow(looks), len(looks), step)
        tracks += [track for track in found if track.travelled or not query.moving]
        pictures += len(looks)
    return Seen(query, tuple(tracks), engine.id, (span,), pictures, tuple(_limits(query, shots)))


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


def _engine_for(context: ToolContext, query: ObjectQuery) -> ObjectEngine:
    """The engine for a query: what colour, shape and movement tell needs no model and is exact without."""
    engine: ObjectEngine = context.engines.load("objects")
    plain = OpenCvObjects(context.settings)
    if plain.cannot(query) is None:
        return plain
    problem = engine.cannot(query)
    if problem is None:
        return engine
    reasons = context.engines.report("objects").reasons
    better = "; ".join(f"{name} would know it, but {reason}" for name, reason in reasons.items())
    instead = "`detect_faces` finds faces" if query.thing == "face" else "'moving things' and 'red circles' can be told"
    raise ToolError(
        "unavailable",
        f"The engine {engine.id} {problem}.",
        f"{better or 'owlv2 would know it: name it first in engines.objects'}. Without it, {instead}.",
    )


def _ask_for(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> Seen:
    """What a vision-language model locates in a few pictures of the span."""
    model: VisualQuestionEngine = context.engines.load("visual_question")
    pictures = read_pictures(context, span)
    looks = [
        (each.time, [FoundObject(thing.label, thing.box, 1.0) for thing in locate_things(context, [query.name], each)])
        for each in pictures
    ]
    return Seen(query, tuple(follow(looks)), model.id, (span,), len(pictures), tuple(_limits(query, [span])))


def _look_for_movement(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> Seen:
    looked = TimeSpan(start=span.start, end=min(span.end, span.start + _LONGEST))
    notes = [f"only {looked} was looked at: movement is followed for {_LONGEST:g} s a call"] if looked != span else []
    shots = _shots(context, looked)
    tracks: list[Track] = []
    looked_at: list[TimeSpan] = []
    pictures = 0
    for shot in shots:
        around = _around(context, shot)
        movers = MovingThings([each for _, each in _pictures(context, around, around.length / _SAMPLES, LONG_SIDE)])
        looks = [(time, movers.find(each)) for time, each in _pictures(context, shot, _MOVING_STEP, LONG_SIDE)]
        steady = [(time, found) for time, found in looks if found is not None]
        if 2 * len(steady) < len(looks):
            notes.append(f"the camera moves in {shot}: what else moves there cannot be told")
            continue
        found = _steady(follow(steady), len(steady), _MOVING_STEP)
        tracks += [track for track in found if track.travelled and query.colour in ("", track.colour)]
        looked_at.append(shot)
        pictures += len(looks)
    if not looked_at:
        raise ToolError("unavailable", f"In {looked} the camera moves, so what else moves cannot be told.")
    notes += [*_limits(query, shots), *_camera(context, looked)]
    return Seen(query, tuple(tracks), MovingThings.id, tuple(looked_at), pictures, tuple(notes))


def _steady(tracks: list[Track], looks: int, step: float) -> list[Track]:
    fewest = min(_FEWEST, looks) if step <= _DENSE else 1
    return [track for track in tracks if len(track.sightings) >= fewest]


def _shots(context: ToolContext, span: TimeSpan) -> list[TimeSpan]:
    """The parts of a span between its cuts; the span itself where no cuts are known."""
    parts = [
        TimeSpan(start=max(item["start"], span.start), end=min(item["end"], span.end))
        for item in context.video.items("shots", span)
    ]
    return parts or [span]


def _around(context: ToolContext, shot: TimeSpan) -> TimeSpan:
    """A part of a shot with more of the same shot before and after it."""
    wide = shot.widened(_AROUND, _AROUND, context.video.duration)
    [whole, *_] = [i for i in context.video.items("shots", shot) if i["start"] <= shot.start] or [
        {"start": 0, "end": wide.end}
    ]
    return TimeSpan(start=max(wide.start, whole["start"]), end=max(shot.end, min(wide.end, whole["end"])))


def _limits(query: ObjectQuery, shots: list[TimeSpan]) -> list[str]:
    """What the way of counting leaves out or counts twice."""
    again = ["what is seen again after a cut is counted as another"] if len(shots) > 1 else []
    return ["what moves without leaving its place is not counted", *again] if query.moving else again


def _camera(context: ToolContext, span: TimeSpan) -> list[str]:
    """A note where the camera is known to move: less than would make the whole picture differ, but it does."""
    moves = joined(TimeSpan(start=i["start"], end=i["end"]) for i in context.video.items("motion", span))
    where = ", ".join(map(str, moves))
    return [f"the camera moves in {where}: some of what seems to move there may stand still"] if moves else []


def _pictures(context: ToolContext, span: TimeSpan, step: float, long_side: int) -> Iterator[tuple[float, Picture]]:
    """Frames of a span with their times, at least `step` seconds from each other."""
    path, media = context.video.media()
    due = span.start
    for frame in read_frames(path, media, span, context.budget.check):
        time = max(frame.time, span.start)
        if time >= due - _ROUNDING:
            yield time, frame.bgr(long_side)
            due = max(due + step, time)
