"""`extract_scene_text`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Annotated

from pydantic import Field

from longtake.errors import MediaError
from longtake.memory.closer_readings import VERSIONS
from longtake.memory.layers import LayerRecipe
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.engines.text.text_engines import Box, SceneTextEngine, TextBox
from longtake.tools.core.refinement import earlier_reading, keep_reading, started_from
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult, evidence_of, examined, unexamined
from longtake.tools.core.tool_context import ToolContext

CLOSE = 8.0  # seconds; up to this length the file is read again, at higher resolution
FRAMES = 5  # frames that are read of a span
LOST = 2.0  # seconds, more than between two frames; text unseen for longer is gone
LEAST = 0.5  # share of a stored span; a shorter part is read again with closer frames
MAX_FRAMES = 400  # for changing text (a counter, a clock), read frame by frame
SAME_PLACE = 0.03  # share of the picture: distance between boxes of one changing text
RUNS = 3  # different texts at one place within CLOSE seconds make a changing text


@tool(capabilities=("scene_text",), quiet=("language",))
def extract_scene_text(
    context: ToolContext,
    timestamp: Timestamp,
    language: Annotated[
        str | None, Field(description="Language code; by default the engine reads all languages it knows.")
    ] = None,
) -> ToolResult:
    """Text in the picture.

    Overlays, captions, slides and signs, with times and positions. A few seconds are read closely.
    """
    parsed = context.span(timestamp, window=0.0)
    span = parsed.span
    layer = context.video.layer("scene_text")
    if layer is None:
        raise ToolError(
            "unavailable", "The on-screen text of this video wasn't read.", "Index it again if it has a picture."
        )
    items = context.video.items("scene_text", span)
    stored = [
        evidence_of(item, item["text"], "scene_text", layer, context.video.id, confidence=item["confidence"])
        for item in items
    ]
    notes = list(parsed.notes)
    if language:
        notes.append(f"the engine reads every script it knows; {language!r} chooses none")
    closer: list[Moment] = []
    looked_at = examined(layer, span)
    if span.length <= CLOSE:
        try:
            closer, until, said = _closer(context, span)
            notes.extend(said)
            looked_at = (TimeSpan(start=span.start, end=until),)
        except MediaError as error:
            notes.append(f"not read again from the file: {error}")
    # A single moment means its own frame; the index may have used a slightly earlier one.
    found = closer if closer and span.length == 0 else _merge(closer, stored)
    if looked_at != (span,):
        notes.extend(unexamined(layer, span))
    if not found:
        notes.append(f"no text on screen in {span}")
    texts = [item.text for item in found]
    return ToolResult(
        tool="extract_scene_text",
        output={"texts": texts},
        evidence=tuple(found),
        looked_at=looked_at,
        notes=tuple(notes),
    )


def _closer(context: ToolContext, span: TimeSpan) -> tuple[list[Moment], float, Sequence[str]]:
    """A close reading of the span, made now or earlier; the time until which it was read; and notes."""
    engine: SceneTextEngine = context.engines.load("scene_text")
    settings = {"min_confidence": context.settings.scene_text.min_confidence}
    layers = started_from(context, "scene_text")
    recipe = LayerRecipe("scene_text", VERSIONS["scene_text"], engine.id, settings, layers)
    reading = earlier_reading(context, recipe, span, least=LEAST)
    if reading:
        inside = [item for item in reading.found if reading.span == span or item.span.overlaps(span)]
        return inside, span.end, (f"read closely before, in {reading.span}",)
    found, until = _read_closely(context, span, engine)
    if until < span.end:
        return found, until, (f"changing text was read only until {clock(until, decimals=2)}",)
    return found, span.end, keep_reading(context, recipe, span, found)


def _read_closely(context: ToolContext, span: TimeSpan, engine: SceneTextEngine) -> tuple[list[Moment], float]:
    """Read the span again from the file: changing text frame by frame, up to a limit, and the rest on a few frames."""
    from longtake.preprocess.layers.scene_text import read_scene_text

    path, media = context.video.media()
    found: list[Moment] = []
    until = span.end
    for box in _running(context, span):
        running, reached = _read_running(context, span, box, engine)
        found += running
        until = min(until, reached)
    frames = 1 if span.length == 0 else FRAMES
    for time, line in read_scene_text(path, media, span, engine, context.budget.check, frames):
        seen = TimeSpan(start=time, end=max(time, span.end if span.length == 0 else time))
        found.append(_evidence_of_line(context, seen, line, engine))
    return found, until


def _running(context: ToolContext, span: TimeSpan) -> list[Box]:
    """Places where the text keeps changing in and around a span."""
    if span.length == 0:
        return []
    around = span.widened(CLOSE / 2, CLOSE / 2, context.video.duration)
    boxes: list[Box] = [tuple(item["box"]) for item in context.video.items("scene_text", around)]
    places: list[Box] = []
    for box in boxes:
        alike = sum(_near(box, other) for other in boxes)
        if alike >= RUNS and not any(_near(box, place) for place in places):
            places.append(box)
    return places


def _near(one: Box, other: Box) -> bool:
    return all(abs(a - b) <= SAME_PLACE for a, b in zip(one, other, strict=True))


def _read_running(
    context: ToolContext, span: TimeSpan, box: Box, engine: SceneTextEngine
) -> tuple[list[Moment], float]:
    """The texts at one place in order, and the time until which they were read."""
    from longtake.preprocess.media.whole_frames import read_whole_frames

    path, media = context.video.media()
    found: list[Moment] = []
    last: tuple[float, TextBox] | None = None
    until = span.start
    frames = read_whole_frames(path, media, span, context.budget.check)
    for frame in islice(frames, MAX_FRAMES):
        until = frame.time
        line = engine.read_region(frame.bgr(), box)
        if last and line.text != last[1].text:
            found.append(_evidence_of_line(context, TimeSpan(start=last[0], end=frame.time), last[1], engine))
        if last is None or line.text != last[1].text:
            last = (frame.time, line)
    if next(frames, None) is None:
        until = span.end
    if last and last[1].text:
        found.append(_evidence_of_line(context, TimeSpan(start=last[0], end=max(last[0], until)), last[1], engine))
    return found, until


def _evidence_of_line(context: ToolContext, span: TimeSpan, line: TextBox, engine: SceneTextEngine) -> Moment:
    return Moment(
        video=context.video.id,
        span=TimeSpan(start=round(span.start, 3), end=round(span.end, 3)),
        modality="scene_text",
        text=line.text,
        score=line.confidence,
        engine=engine.id,
        box=line.box,
    )


def _merge(closer: Sequence[Moment], stored: Sequence[Moment]) -> list[Moment]:
    """The closer reading plus what only the stored one has, by time, then from the top and the left.

    The longest reading of a text is kept while it stays in one place; elsewhere or later it is another text.
    """
    pieces: defaultdict[str, list[list[Moment]]] = defaultdict(list)
    for item in sorted([*stored, *closer], key=lambda item: item.span.start):
        alike = pieces[item.text]
        piece = next((piece for piece in alike if any(_continues(held, item) for held in piece)), None)
        if piece is None:
            alike.append([item])
        else:
            piece.append(item)
    kept = [max(piece, key=lambda item: item.span.length) for alike in pieces.values() for piece in alike]
    return sorted(kept, key=lambda item: (item.span.start, item.box[1::-1] if item.box else ()))


def _continues(held: Moment, item: Moment) -> bool:
    """Whether a text that starts no earlier than another continues it, in the same place and without a break."""
    in_place = held.box == item.box or bool(held.box and item.box and _near(held.box, item.box))
    return in_place and item.span.start - held.span.end <= LOST
