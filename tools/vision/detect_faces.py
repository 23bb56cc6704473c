"""`detect_faces`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from longtake.console import counted
from longtake.errors import EngineUnavailable, MediaError
from longtake.memory.gallery import Gallery, Person
from longtake.memory.layers import Layer
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.people.face_grouping import SeenPerson, Sighting, comparable, recognise
from longtake.preprocess.engines.people.people_engine import FaceEngine
from longtake.preprocess.media.frames import Picture, read_jpeg
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.media.whole_frames import read_whole_frames
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult, examined, unexamined
from longtake.tools.core.tool_context import Budget, ToolContext

WINDOW = 2.0
CLOSE = 20.0  # seconds; up to this length the file is examined, for longer spans the pictures of the index
STEP = 0.25  # seconds between two frames of the file
MOST = 80  # pictures of the index
LONG_SIDE = 1280  # pixels
MISSED = 2  # pictures in a row without a face within one appearance, because people look aside


class _Look(NamedTuple):
    """A picture, and the part of the span that it represents."""

    span: TimeSpan
    picture: Picture


@tool(capabilities=("faces",), cached=False)
def detect_faces(context: ToolContext, timestamp: Timestamp) -> ToolResult:
    """Faces in a span, with the names of enrolled people.

    Only frontal faces are found. People who aren't enrolled in this library stay unknown.
    """
    parsed = context.span(timestamp, window=WINDOW)
    engine = face_engine(context.engines)
    looks, looked_at, notes = _looks(context, parsed.span)
    stands_for: list[TimeSpan] = []
    sightings: list[Sighting] = []
    for look in looks:
        context.budget.check()
        sightings += [Sighting(len(stands_for), face) for face in engine.find(look.picture)]
        stands_for.append(look.span)
    gallery = Gallery(context.video.library.root).people()
    people = recognise(sightings, gallery, engine)
    evidence = [
        _evidence(person, run, stands_for, context.video.id, engine) for person in people for run in _runs(person)
    ]
    pictures = f"{counted(len(stands_for), 'picture')} of {parsed.span}"
    looked = f"{pictures} looked at" if people else f"no face turned to the camera in {pictures}"
    return ToolResult(
        tool="detect_faces",
        output={"faces": [_person_row(person) for person in people]},
        evidence=tuple(sorted(evidence, key=lambda item: item.span.start)),
        looked_at=looked_at,
        notes=(*parsed.notes, *notes, looked, *_not_compared(gallery, engine)),
    )


def face_engine(engines: EngineTable) -> FaceEngine:
    """The engine in the profile.

    Raises:
        EngineUnavailable: if the profile names none, because face recognition is opt-in, or none works.
    """
    report = engines.report("faces")
    if report.engine is None and not report.reasons:
        raise EngineUnavailable(
            "Face recognition is off by default. To turn it on: pip install 'longtake[faces]', and name the engine "
            "with --set 'engines.faces=[dlib]' or in your profile."
        )
    engine: FaceEngine = engines.load("faces")
    return engine


def _looks(context: ToolContext, span: TimeSpan) -> tuple[Iterator[_Look], tuple[TimeSpan, ...], tuple[str, ...]]:
    """The pictures to examine, the parts of the span that they show, and notes."""
    layer = context.video.layer("keyframes")
    cuts = [item["end"] for item in context.video.items("shots", span)]
    notes: tuple[str, ...] = ()
    if span.length <= CLOSE:
        try:
            return _frames(*context.video.media(), span, cuts, context.budget), (span,), ()
        except MediaError as error:
            notes = (f"not examined in the file: {error}",)
    if layer is None:
        remedy = f"Index it again if it has a picture, or ask for at most {CLOSE:g} s of it."
        raise ToolError("unavailable", "; ".join(("The index has no pictures of this video", *notes)), remedy)
    chosen = _chosen(context.video.items("keyframes", span), span)
    return _keyframes(layer, chosen, span, cuts), examined(layer, span), (*notes, *unexamined(layer, span))


def _frames(path: Path, media: MediaInfo, span: TimeSpan, cuts: Sequence[float], budget: Budget) -> Iterator[_Look]:
    due = 0.0
    for frame in read_whole_frames(path, media, span, budget.check):
        if frame.time >= due:
            due = (frame.time // STEP + 1) * STEP
            yield _Look(_part(span, cuts, frame.time, due), frame.bgr(LONG_SIDE))


def _chosen(items: Sequence[dict[str, Any]], span: TimeSpan) -> list[dict[str, Any]]:
    """At most `MOST` pictures by time: first those that represent a shot, then others evenly."""
    inside = {item["file"]: item for item in items if span.start <= item["time"] < span.end}
    shots = {item["file"]: item for item in inside.values() if item["kind"] == "shot"}
    seconds = [item for file, item in inside.items() if file not in shots]
    chosen = _thinned(list(shots.values()), MOST)
    return sorted(chosen + _thinned(seconds, MOST - len(chosen)), key=lambda item: item["time"])


def _thinned(items: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """At most this many items, evenly spread."""
    count = min(most, len(items))
    return [items[(2 * number + 1) * len(items) // (2 * count)] for number in range(count)]


def _keyframes(layer: Layer, items: Sequence[dict[str, Any]], span: TimeSpan, cuts: Sequence[float]) -> Iterator[_Look]:
    for item in items:
        yield _Look(_part(span, cuts, item["time"], item["time"] + 1), read_jpeg(layer.path / item["file"]))


def _part(span: TimeSpan, cuts: Sequence[float], time: float, end: float) -> TimeSpan:
    """The span from a picture to the next one or a cut, within the examined span."""
    end = min([span.end, end, *(cut for cut in cuts if cut > time)])
    start = max(span.start, time)
    return TimeSpan(start=round(start, 3), end=round(max(start, end), 3))


def _person_row(person: SeenPerson) -> dict[str, Any]:
    role = {"role": person.role} if person.role else {}
    return {"name": person.name, **role, "confidence": person.confidence}


def _runs(person: SeenPerson) -> list[list[Sighting]]:
    """A person's appearances: sightings with few missing pictures in between."""
    runs: list[list[Sighting]] = []
    for sighting in person.sightings:
        if runs and sighting.picture - runs[-1][-1].picture <= MISSED + 1:
            runs[-1].append(sighting)
        else:
            runs.append([sighting])
    return runs


def _evidence(
    person: SeenPerson, run: Sequence[Sighting], stands_for: Sequence[TimeSpan], video: str, engine: FaceEngine
) -> Moment:
    """One appearance, with the box of its clearest sighting."""
    first, last = stands_for[run[0].picture], stands_for[run[-1].picture]
    return Moment(
        video=video,
        span=TimeSpan(start=first.start, end=last.end),
        modality="visual",
        text=f"{person.name} (face)",
        score=person.confidence,
        engine=engine.id,
        box=max(run, key=lambda sighting: sighting.face.confidence).face.box,
    )


def _not_compared(gallery: Sequence[Person], engine: FaceEngine) -> tuple[str, ...]:
    """A note if nobody is enrolled, or only by another engine."""
    if not gallery:
        return ("nobody is enrolled, so no face has a name: `longtake faces enrol NAME PHOTO`",)
    compared = {person.name for person in comparable(gallery, engine)}
    others = [person.name for person in gallery if person.name not in compared]
    return (f"enrolled by another engine, so not compared: {', '.join(others)}",) if others else ()
