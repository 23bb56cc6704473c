"""`inspect_motion`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from longtake.errors import MediaError
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.analysis.frame_measures import Finding, Measured, measure
from longtake.preprocess.analysis.frame_order import find_shuffled
from longtake.preprocess.analysis.picture_faults import find_freezes, find_noise, find_tints
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.sound_direction import sound_direction
from longtake.tools.core.evidence import unexamined
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.film_colour import film_colour
from longtake.tools.vision.motion_facts import known_motion, pictures_examined

WINDOW = 10.0
LONGEST = 30.0  # seconds in which every frame is measured
_EMPTY = 4.0  # standard deviation of brightness, in levels, below which a frame is blank
_HARDLY = 0.2  # share of frames whose order can be determined; below it nothing is said about the rest
_ENGINE = "frame-measures-1"


@dataclass(slots=True)
class _Inspected:
    """Findings in the frames and the sound, and what couldn't be determined."""

    findings: list[Finding] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)


@tool(group="extras")
def inspect_motion(context: ToolContext, timestamp: Timestamp) -> ToolResult:
    """Inspect a segment: cuts, camera pan, tilt and zoom; frozen, reversed, shuffled, blank, tinted and noisy spans."""
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
    for frame in read_frames(path, media, span, context.budget.check):
        measured.append(measure(frame))
        end = frame.end
    frames = [frame for frame in measured if frame.luma.std() >= _EMPTY]
    noise = find_noise(frames, end)
    clear = [frame for frame in frames if not any(each.span.start <= frame.time < each.span.end for each in noise)]
    order = find_shuffled(clear)
    inspected = _Inspected([*noise, *find_tints(frames, end), *find_freezes(frames), *order.findings])
    if order.judged < _HARDLY:
        share = f"{order.judged:.0%} of the span"
        inspected.untold.append(
            f"shuffled: too little movement or too few frames to determine their order; it is visible in {share}"
        )
    if not any(each.kind in ("tinted", "colourless") for each in inspected.findings):
        inspected.untold.append(f"tinted throughout {span}: a tint is told where it is switched on or off")
    direction, skewness = sound_direction(path, media, span, context.budget.check)
    if direction == "backwards":
        text = f"reversed: its sound rises slowly and stops abruptly (skewness {skewness:.1f})"
        inspected.findings.append(Finding(span, "reversed", text, round(min(1.0, -skewness), 2)))
    else:
        heard = f"its sound isn't conclusive (skewness {skewness:.1f})"
        if direction:
            heard = f"its sound plays forwards (confidence {min(1.0, skewness):.2f}), but may be added"
        inspected.untold.append(f"reversed: the picture alone doesn't show the direction of time; {heard}")
    return inspected


def _new(findings: list[Finding], known: list[Evidence]) -> Iterator[Finding]:
    """The findings without freezes that the index already has."""
    frozen = [item.span for item in known if item.content.startswith("frozen")]
    for finding in findings:
        if finding.kind != "frozen" or not any(span.overlaps(finding.span) for span in frozen):
            yield finding


def _evidence(context: ToolContext, finding: Finding) -> Evidence:
    return Evidence(
        video=context.video.id,
        span=TimeSpan(start=round(finding.span.start, 3), end=round(finding.span.end, 3)),
        modality="audio" if finding.kind == "reversed" else "visual",
        content=finding.text if finding.kind == "reversed" else f"{finding.kind}: {finding.text}",
        score=finding.sure,
        engine=_ENGINE,
    )


def _row(item: Evidence) -> dict[str, object]:
    start, end = (clock(time, decimals=2) for time in (item.span.start, item.span.end))
    return {"start": start, "end": end, "what": item.content, "sure": item.score}
