"""Finds objects in a span: chooses frames, detects objects and follows them, shot by shot."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from longtake.memory.layers import Layer
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, clock, joined
from longtake.preprocess.engines.endpoints.caption_engine import VisualQuestionEngine
from longtake.preprocess.engines.objects.nanodet import PERSON, kind_of
from longtake.preprocess.engines.objects.object_engine import FoundObject, ObjectEngine, ObjectQuery
from longtake.preprocess.engines.objects.objects_moving import MovingThings
from longtake.preprocess.engines.objects.objects_opencv import OpenCvObjects
from longtake.preprocess.engines.objects.objects_query import parse_query
from longtake.preprocess.engines.objects.objects_tracks import Track, follow
from longtake.preprocess.engines.people.people_engine import Footage, PeopleEngine
from longtake.preprocess.engines.people.people_nanodet import CLOSE
from longtake.preprocess.engines.people.people_tracks import Followed, people_among
from longtake.preprocess.layers.detections import Detections
from longtake.tools.core.result import ToolError, examined, unexamined
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.object_frames import (
    AGAIN,
    SeenObjects,
    followed,
    frames_of,
    frames_of_parts,
    moving_in,
    seen_people,
    shots_of,
)
from longtake.tools.vision.visual_questions import ask_about, locate_things, read_pictures

_BETWEEN_LOOKS = 1 / 15  # seconds between two looks
_SIGHTINGS = 3  # sightings of an object; fewer are noise
_ONCE = "the picture of every second was examined: what is there for less time may be missed"


def in_index(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> SeenObjects | None:
    """What the layer has of the things of a query in a span; None if it can't tell. Only people are certain."""
    layer, kind = context.video.layer(Detections.name), kind_of(query)
    looked_at = examined(layer, span) if layer else ()
    if layer is None or kind is None or not looked_at:
        return None
    seconds = [item for item in context.video.items("keyframes", span) if item["kind"] == "second"]
    times = [round(item["time"], 3) for item in seconds]
    tracks = _tracks(layer, kind, times)
    notes = (_ONCE, *unexamined(layer, span))
    if kind == PERSON:
        shots = _by_shot(shots_of(context, span), times, tracks)
        return seen_people(people_among(query, shots), layer.engine, looked_at, notes)
    perhaps = tuple(track for track in tracks if track.travelled or not query.moving)
    doubt = f"The detector misses many a {kind} and takes other things for one."
    return SeenObjects((), layer.engine, looked_at, len(times), notes, doubt, perhaps)


def _tracks(layer: Layer, kind: str, times: Sequence[float]) -> list[Track]:
    """All that the layer calls so, with their sightings at these times."""
    wanted = set(times)
    found = (_track(item, wanted) for item in layer.items() if item["name"] == kind)
    return [track for track in found if track.sightings]


def _track(item: Mapping[str, Any], times: set[float]) -> Track:
    seen = ((time, (left, top, width, height)) for time, left, top, width, height in item["boxes"] if time in times)
    return Track([(time, FoundObject(item["name"], box, item["confidence"])) for time, box in seen])


def _by_shot(shots: Sequence[TimeSpan], times: Sequence[float], tracks: Sequence[Track]) -> list[Followed]:
    """The times in each shot, and the tracks that start in it."""
    tracks = sorted(tracks, key=lambda track: track.start)
    starts = [track.start for track in tracks]

    def within(shot: TimeSpan, of: Sequence[float]) -> slice:
        return slice(bisect_left(of, shot.start), bisect_left(of, shot.end))

    return [Followed(times[within(shot, times)], tracks[within(shot, starts)]) for shot in shots]


BETTER = "owlv2 knows more: put it first in engines.objects"
NO_PEOPLE = "No engine here finds people."  # the failure where people are asked for
NOBODY = "nobody"  # in results, where a time without people was asked for
_STEP = 0.1  # shortest distance between two frames in seconds
_DENSE = 0.25  # seconds between frames up to which an object seen only once or twice is noise
_FEWEST = 3
DENSE = 2.0  # pictures a second from which objects are followed; fewer show too little of their ways
_LOCATED = 2  # pictures in which a model locates objects
_MANY = 8  # pictures of which a model is first asked which show them
_UNINDEXED = "the video was indexed without it: index it again"
_LONG_SIDE = 960  # pixels of the pictures that engines see
_STRAIGHT = 0.05  # share of the picture that an object must cross to have a direction


def read_query(text: str) -> ObjectQuery:
    """Parse a query. A query without an object is a bad argument."""
    try:
        return parse_query(text)
    except ValueError as error:
        raise ToolError("bad_arguments", f"{error}.", "Name one kind of object: 'person', 'red circles'.") from error


def look_for(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> SeenObjects:
    """Find the objects of a query in a span, and follow them through each shot.

    Raises:
        ToolError: `unavailable` if no engine knows such objects, or the query asks for movement and the camera moves.
    """
    people = _people_engine(context)
    of_people = kind_of(query) == PERSON
    closer = people and of_people and people.knows(query)
    enough = of_people and not (closer and span.length < CLOSE)  # a picture a second
    if enough and (seen := in_index(context, span, query)):
        return seen
    if people and closer:
        return _look_for_people(context, span, query, people)
    if query.absent:
        raise _unknown(context, query)
    engine = _engine_for(context, query)
    if engine is None:
        return _look_further(context, span, query)
    if query.moving and not (query.thing or query.shape):
        return look_for_movement(context, span, query)
    step = max(_STEP, span.length / engine.max_pictures)
    sparse = step > 1 / DENSE and not isinstance(engine, OpenCvObjects)  # which follows simple shapes well enough
    if sparse and not query.moving:
        looks = [(time, engine.find(frame.bgr(_LONG_SIDE), query)) for time, frame in frames_of(context, span, step)]
        found, said = _most_in(looks), f"only a picture every {step:.1f} s was examined"
        if not found:
            return SeenObjects((), engine.id, (span,), len(looks), (said,))
        doubt = f"{said}, and the count is from the one that shows the most"
        return SeenObjects(found, engine.id, (span,), len(looks), doubt=doubt, different=len(found))
    looked = TimeSpan(start=span.start, end=span.start + engine.max_pictures / DENSE) if sparse else span
    shots = shots_of(context, looked)
    step = max(_STEP, looked.length / engine.max_pictures)
    tracks, pictures = list[Track](), 0
    for _, frames in groupby(frames_of_parts(context, shots, step), key=itemgetter(0)):
        looks = [(time, engine.find(frame.bgr(_LONG_SIDE), query)) for _, time, frame in frames]
        followed_on = _steady(follow(looks), len(looks), step)
        tracks += [track for track in followed_on if track.travelled or not query.moving]
        pictures += len(looks)
    limits = _limits(query, shots) + ([f"only {looked} was examined"] if looked != span else [])
    seen = SeenObjects(tuple(tracks), engine.id, joined(shots), pictures, tuple(limits))
    return _shaken(seen, camera_moves(context, span)) if query.moving else seen


def _shaken(seen: SeenObjects, moves: Sequence[TimeSpan]) -> SeenObjects:
    """Moving objects, with those that may stand still kept separate, because the camera moves."""
    spans = [TimeSpan(start=track.start, end=track.end) for track in seen.tracks]
    during = [move for move in moves if any(move.overlaps(span) for span in spans)]
    if not during:
        return seen
    still = [not any(move.overlaps(span) for move in during) for span in spans]
    tracks = tuple(track for track, sure in zip(seen.tracks, still, strict=True) if sure)
    perhaps = tuple(_halved(track) for track, sure in zip(seen.tracks, still, strict=True) if not sure)
    doubt = f"The camera moves in {', '.join(map(str, during))}, where what stands still seems to move."
    return replace(seen, tracks=tracks, perhaps=perhaps, different=len(tracks), doubt=doubt)


def _halved(track: Track) -> Track:
    """Confidence in an object that either moves or stands still, with equal chances."""
    return replace(
        track, sightings=[(time, replace(found, confidence=found.confidence / 2)) for time, found in track.sightings]
    )


def seen_as(
    context: ToolContext, seen: SeenObjects, span: TimeSpan, found: FoundObject, words: str, *, sure: bool = True
) -> Moment:
    """One object as evidence. A doubtful object proves nothing."""
    return Moment(
        video=context.video.id,
        span=TimeSpan(start=round(span.start, 3), end=round(span.end, 3)),
        modality="visual",
        text=words,
        score=found.confidence,
        engine=seen.engine,
        box=found.box,
        trusted=sure,
    )


def one_of(seen: SeenObjects, number: int) -> str:
    """An object in words: its colour and name, its number (from 1) among those found, and where it moves."""
    track = seen.tracks[number - 1]
    name = track.sightings[0][1].name
    coloured = f"{track.colour} {name}" if track.colour not in name else name
    return f"{coloured} {number} of {len(seen.tracks)}{_direction(track)}"


def _direction(track: Track) -> str:
    """The direction of an object; empty if it returned or hardly moved."""
    across, down = track.way
    if max(abs(across), abs(down)) < _STRAIGHT:
        return ""
    if abs(across) >= abs(down):
        return ", moves to the right, from left to right" if across > 0 else ", moves to the left, from right to left"
    return ", moves downwards, from top to bottom" if down > 0 else ", moves upwards, from bottom to top"


def perhaps_seen(context: ToolContext, seen: SeenObjects, track: Track, time: float) -> Moment:
    """A doubtful object in its sighting nearest to a time, with its median confidence."""
    when, found = track.nearest(time)
    words = f"perhaps a {found.name} at {clock(when, decimals=1)}"
    likely = replace(found, confidence=track.confidence)
    return seen_as(context, seen, TimeSpan(start=when, end=when), likely, words, sure=False)


def nobody_in(context: ToolContext, seen: SeenObjects, span: TimeSpan) -> Moment:
    """A time without anyone as evidence."""
    return Moment(
        video=context.video.id,
        span=TimeSpan(start=round(span.start, 3), end=round(span.end, 3)),
        modality="visual",
        text=f"{NOBODY} is there from {clock(span.start)} to {clock(span.end)}",
        engine=seen.engine,
    )


def _engine_for(context: ToolContext, query: ObjectQuery) -> ObjectEngine | None:
    """The engine that knows such objects. Colour, shape and movement need no model."""
    plain = OpenCvObjects(context.settings)
    if "opencv" in context.engines.settings.engines.objects and plain.cannot(query) is None:
        return plain
    if context.engines.report("objects").engine is None:
        return None
    engine: ObjectEngine = context.engines.load("objects")
    return engine if engine.cannot(query) is None else None


def _look_further(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> SeenObjects:
    """Objects located by a vision-language model, or else by the engine for people or the index, if no engine can."""
    if _model_sees(context):
        return _ask_for(context, span, query)
    people = _people_engine(context)
    if people and people.knows(query):
        return _look_for_people(context, span, query, people)
    if seen := in_index(context, span, query):
        return seen
    raise _unknown(context, query)


def _people_engine(context: ToolContext) -> PeopleEngine | None:
    """The engine for people and faces; None if the profile names none."""
    if context.engines.report("people").engine is None:
        return None
    engine: PeopleEngine = context.engines.load("people")
    return engine


def _look_for_people(context: ToolContext, span: TimeSpan, query: ObjectQuery, engine: PeopleEngine) -> SeenObjects:
    looked, notes = followed(span)
    shots = shots_of(context, looked)
    footage = [Footage(shot, partial(frames_of, context, shot)) for shot in shots]
    return seen_people(engine.find(query, footage), engine.id, joined(shots), notes)


def _unknown(context: ToolContext, query: ObjectQuery) -> ToolError:
    """The failure if no engine knows such objects: which engine would, and what works instead."""
    kind = kind_of(query)
    message, reasons = NO_PEOPLE, dict[str, str]()
    if kind != PERSON:
        engine: ObjectEngine = context.engines.load("objects")
        message = f"The engine {engine.id} {engine.cannot(query)}."
        reasons |= context.engines.report("objects").reasons
    if kind:
        detector = context.engines.report("detections")
        reasons |= {detector.engine: _UNINDEXED} if detector.engine else detector.reasons
    people = _people_engine(context)
    told = [repr(thing) for thing in ("people", "faces") if people and people.knows(parse_query(thing))]
    better = "; ".join(f"{name} would, but {reason}" for name, reason in reasons.items())
    others = ", ".join([*told, "'moving things'"])
    return ToolError("unavailable", message, f"{better or BETTER}. Without it, {others} and 'red circles' can be told.")


def asks_a_model(context: ToolContext, query: ObjectQuery) -> bool:
    """Whether a vision-language model counts best: there is one, and no detector that surely knows such objects."""
    people = _people_engine(context)
    detected = kind_of(query) == PERSON and (
        context.video.layer(Detections.name) is not None or (people and people.knows(query))
    )
    if not _model_sees(context) or detected:
        return False
    if context.engines.report("objects").engine in (None, "opencv"):
        return True
    detector: ObjectEngine = context.engines.load("objects")
    return detector.cannot(query) is not None


def _model_sees(context: ToolContext) -> bool:
    """Whether there is a vision-language model."""
    return context.engines.report("visual_question").engine is not None


def _ask_for(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> SeenObjects:
    """Objects that a vision-language model locates, in the picture that shows the most of them.

    Of many pictures it is first asked which show them.
    """
    model: VisualQuestionEngine = context.engines.load("visual_question")
    shown = read_pictures(context, [span], asked=query.phrase)
    pictures = shown.pictures
    if len(pictures) < _MANY:
        pictures = sorted(pictures, key=lambda each: abs(each.time - (span.start + span.end) / 2))[:_LOCATED]
    else:
        reply, shown = ask_about(context, f"When is a {query.phrase} seen, and when most clearly?", shown)
        told = [each.span for each in reply.said if each.timed]
        near = [min(shown.pictures, key=lambda each: abs(each.time - (at.start + at.end) / 2)) for at in told]
        pictures = list({each.time: each for each in near}.values())[:_LOCATED]
    looks = [
        (each.time, [FoundObject(thing.label, thing.box, 1.0) for thing in locate_things(context, [query.name], each)])
        for each in pictures
    ]
    return SeenObjects(_most_in(looks), model.id, (span,), len(shown.pictures))


def _most_in(looks: Sequence[tuple[float, Sequence[FoundObject]]]) -> tuple[Track, ...]:
    """The objects of the picture that shows the most, each for itself."""
    time, found = max(looks, key=lambda look: len(look[1]), default=(0.0, ()))
    return tuple(Track([(time, each)], time) for each in found)


def _steady(tracks: list[Track], looks: int, step: float) -> list[Track]:
    fewest = min(_FEWEST, looks) if step <= _DENSE else 1
    return [track for track in tracks if len(track.sightings) >= fewest]


def _limits(query: ObjectQuery, shots: list[TimeSpan]) -> list[str]:
    """Notes on what the method misses or counts twice."""
    again = [AGAIN] if len(shots) > 1 else []
    return ["objects that move in place aren't counted", *again] if query.moving else again


def look_for_movement(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> SeenObjects:
    """Follow moving objects in a span, of the query's colour if it names one.

    Raises:
        ToolError: `unavailable` if the camera moves all the time.
    """
    looked, notes = followed(span)
    shots = shots_of(context, looked)
    tracks: list[Track] = []
    looked_at: list[TimeSpan] = []
    missed: list[str] = []
    pictures = 0
    for shot, looks in moving_in(context, shots, _BETWEEN_LOOKS):
        steady = [(time, found) for time, found in looks if found is not None]
        if 2 * len(steady) < len(looks):
            missed.append(str(shot))
            continue
        found = [track for track in follow(steady) if len(track.sightings) >= min(_SIGHTINGS, len(steady))]
        tracks += [track for track in found if track.travelled and query.colour in ("", track.colour)]
        looked_at.append(shot)
        pictures += len(looks)
    if not looked_at:
        raise ToolError("unavailable", f"In {looked} the camera moves, so other movement can't be detected.")
    doubt = f"the camera moves in {', '.join(missed)}: what else moves there cannot be told" if missed else ""
    if doubt and not tracks:
        notes.append(doubt)
        doubt = ""
    notes += ["objects that move in place aren't counted", *([AGAIN] if len(shots) > 1 else [])]
    notes += _camera(context, looked)
    return SeenObjects(
        tuple(tracks), MovingThings.id, joined(looked_at), pictures, tuple(notes), doubt, different=len(tracks)
    )


def _camera(context: ToolContext, span: TimeSpan) -> list[str]:
    """A note if the camera moves, even if only slightly."""
    where = ", ".join(map(str, camera_moves(context, span)))
    return [f"the camera moves in {where}: some of what seems to move there may stand still"] if where else []


def camera_moves(context: ToolContext, span: TimeSpan) -> tuple[TimeSpan, ...]:
    """The times in a span when the camera moves."""
    return joined(TimeSpan(start=i["start"], end=i["end"]) for i in context.video.items("motion", span))
