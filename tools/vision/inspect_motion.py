"""`inspect_motion`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np

from longtake.errors import MediaError
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.analysis.frame_measures import Anomaly, Measured, measure
from longtake.preprocess.analysis.frame_order import find_shuffled
from longtake.preprocess.analysis.joins import find_interruptions, find_jumps
from longtake.preprocess.analysis.overlays import Overlay, find_overlays
from longtake.preprocess.analysis.picture_faults import find_freezes, find_noise, find_tints
from longtake.preprocess.media.frames import Picture, read_jpeg
from longtake.preprocess.media.sound_direction import sound_direction
from longtake.preprocess.media.whole_frames import read_whole_frames
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolResult, evidence_of, unexamined
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.motion_facts import known_motion, pictures_examined

MOST = 24  # pictures to examine, evenly spread
_COLOURED = 2.0  # levels from grey; black-and-white films had at most 0.6, colour films at least 4.6
_HUES = 1.0  # levels away from the most common hue; less is a tint
_NEARLY_ALL = 0.9  # of the pictures, because a colour film may start with white letters on black
_HALF = 2  # of the side, because colour is just as visible in a small picture
WINDOW = 10.0
LONGEST = 60.0  # seconds in which every frame is measured
_EMPTY = 4.0  # standard deviation of brightness, in levels, below which a picture is blank
_HARDLY = 0.2  # share of frames whose order can be determined; below it nothing is said about the rest
_BORDER = 0.2  # seconds
FAULTS = "frame-measures-3"  # engine of the evidence of faults


@dataclass(slots=True)
class _Inspected:
    """Findings in the frames and the sound, and what couldn't be determined."""

    findings: list[Anomaly] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)


@tool(group="extras")
def inspect_motion(context: ToolContext, timestamp: Timestamp) -> ToolResult:
    """Camera moves; frozen, reversed frames.

    Cuts are found too. Faults are frozen, reversed, shuffled, mixed, tinted, noisy and inserted frames.
    """
    parsed = context.span(timestamp, window=WINDOW)
    looked_at = pictures_examined(context, parsed.span)
    layer = context.video.layer("motion")
    notes = [*parsed.notes, *(unexamined(layer, parsed.span) if layer else ())]
    close = TimeSpan(start=parsed.span.start, end=min(parsed.span.end, parsed.span.start + LONGEST))
    if close != parsed.span:
        notes.append(f"shuffled, tinted, noisy and reversed spans were searched in {close} only")
    try:
        inspected = _inspect(context, close)
    except MediaError as error:
        inspected = _Inspected(untold=[f"shuffled, tinted, noisy or reversed: {error}"])
    known = known_motion(context, parsed.span)
    evidence = sorted(
        [*known, *(_evidence(context, finding) for finding in _new(inspected.findings, known))],
        key=lambda item: (item.span.start, item.span.end),
    )
    colour = film_colour(context, parsed.span)
    if not evidence:
        notes.append(f"a still camera and no fault in {parsed.span}, as far as can be told")
    output = {"findings": [_row(item) for item in evidence], "cannot_tell": inspected.untold}
    return ToolResult(
        tool="inspect_motion",
        output=output,
        evidence=(*evidence, *filter(None, [colour])),
        looked_at=looked_at,
        notes=tuple(notes),
    )


def _inspect(context: ToolContext, span: TimeSpan) -> _Inspected:
    path, media = context.video.media()
    measured, end = list[Measured](), span.start
    for frame in read_whole_frames(path, media, span, context.budget.check):
        measured.append(measure(frame))
        end = frame.end
    frames = [frame for frame in measured if frame.luma.std() >= _EMPTY]
    noise = find_noise(frames, end)
    clear = [frame for frame in frames if not any(each.span.start <= frame.time < each.span.end for each in noise)]
    order = find_shuffled(clear)
    joins = [*find_interruptions(clear)]
    joins += [_inserted(overlay) for overlay in find_overlays(clear) if not _is_text(context, overlay)]
    faults = [*noise, *find_tints(frames, end), *find_freezes(frames), *order.findings]
    faults += [join for join in joins if not any(_begins_or_ends_in(broken, join) for broken in order.broken)]
    jumps = [jump for jump in find_jumps(clear) if not any(_borders(jump, fault) for fault in faults)]
    inspected = _Inspected([*faults, *jumps])
    if order.judged < _HARDLY:
        inspected.untold.append(
            f"the order of the frames: too little moves; it shows in {order.judged:.0%} of the span"
        )
    if not any(each.kind in ("tinted", "colourless") for each in inspected.findings):
        inspected.untold.append(f"a colour over all of {span}: it shows where it is switched on or off")
    direction, skewness = sound_direction(path, media, span, context.budget.check)
    if direction == "backwards":
        text = f"reversed: its sound rises slowly and stops abruptly (skewness {skewness:.1f})"
        inspected.findings.append(Anomaly(span, "reversed", text, round(min(1.0, -skewness), 2)))
    else:
        heard = "its sound plays forwards, but may be added" if direction else "its sound isn't conclusive"
        inspected.untold.append(f"the direction of time: the picture alone doesn't show it; {heard}")
    return inspected


def _inserted(overlay: Overlay) -> Anomaly:
    left, top, width, height = overlay.box
    across = ("left", "middle", "right")[min(2, int(3 * (left + width / 2)))]
    down = ("top", "centre", "bottom")[min(2, int(3 * (top + height / 2)))]
    text = f"an object that was put in: it appears and goes at once, at the {down} {across}"
    return Anomaly(overlay.span, "inserted", text, overlay.sure)


def _is_text(context: ToolContext, overlay: Overlay) -> bool:
    """Whether an overlay is a caption: text that was read where and while it is shown."""
    left, top, width, height = overlay.box
    for item in context.video.items("scene_text", overlay.span):
        x, y, w, h = item["box"]
        if left <= x + w / 2 <= left + width and top <= y + h / 2 <= top + height:
            return True
    return False


def _begins_or_ends_in(broken: TimeSpan, join: Anomaly) -> bool:
    """Whether a join shows where frames are out of order, which explains it."""
    return any(broken.start - _BORDER <= edge <= broken.end + _BORDER for edge in (join.span.start, join.span.end))


def _borders(jump: Anomaly, fault: Anomaly) -> bool:
    """Whether a jump is only the beginning or the end of another fault, or inside shuffled frames."""
    edges = (fault.span.start, fault.span.end)
    inside = fault.kind in ("shuffled", "mixed") and fault.span.overlaps(jump.span)
    return inside or any(abs(edge - jump.span.start) <= _BORDER for edge in edges)


def _new(findings: list[Anomaly], known: list[Moment]) -> Iterator[Anomaly]:
    """The findings without freezes that the index already has."""
    frozen = [item.span for item in known if item.text.startswith("frozen")]
    for finding in findings:
        if finding.kind != "frozen" or not any(span.overlaps(finding.span) for span in frozen):
            yield finding


def _evidence(context: ToolContext, finding: Anomaly) -> Moment:
    return Moment(
        video=context.video.id,
        span=TimeSpan(start=round(finding.span.start, 3), end=round(finding.span.end, 3)),
        modality="audio" if finding.kind == "reversed" else "visual",
        text=finding.text if finding.kind == "reversed" else f"{finding.kind}: {finding.text}",
        score=finding.sure,
        engine=FAULTS,
    )


def _row(item: Moment) -> dict[str, object]:
    start, end = (clock(time, decimals=2) for time in (item.span.start, item.span.end))
    return {"start": start, "end": end, "what": item.text, "sure": item.score}


def film_colour(context: ToolContext, span: TimeSpan) -> Moment | None:
    """Whether nearly all, some or none of the pictures of a span have colour.

    None if all pictures are blank, or if there is only a single hue.
    """
    layer = context.video.layer("keyframes")
    if layer is None:
        return None
    items = [item for item in context.video.items("keyframes", span) if item["kind"] == "second"]
    chosen = [items[number * len(items) // MOST] for number in range(MOST)] if len(items) > MOST else items
    pictures = [read_jpeg(layer.path / item["file"]) for item in chosen]
    measured = [_measure(picture) for picture in pictures if picture.std() >= _EMPTY]
    coloured = [hues for strength, hues in measured if strength >= _COLOURED]
    if not measured or (coloured and max(coloured) < _HUES):
        return None
    words = _described(len(coloured), len(measured))
    return evidence_of({"start": span.start, "end": span.end}, words, "visual", layer, context.video.id)


def _described(coloured: int, pictures: int) -> str:
    if not coloured:
        return f"black and white: none of {pictures} pictures, evenly spread, has colour"
    found = "in colour" if coloured >= _NEARLY_ALL * pictures else "some in colour"
    return f"{found}: {coloured} of {pictures} pictures, evenly spread, have colour"


def _measure(picture: Picture) -> tuple[float, float]:
    """Distance of the colours from grey along their most common hue and across it, in levels."""
    small = cv2.resize(picture, None, fx=1 / _HALF, fy=1 / _HALF, interpolation=cv2.INTER_AREA)
    chroma = cv2.cvtColor(small, cv2.COLOR_BGR2YCrCb)[..., 1:].reshape(-1, 2).astype(np.float64) - 128.0
    commonest, beside = np.sqrt(np.linalg.eigvalsh(chroma.T @ chroma / len(chroma)).clip(0)[::-1])
    return float(commonest), float(beside)
