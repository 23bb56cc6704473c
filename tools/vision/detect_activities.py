"""`detect_activities`, and the changes of a picture that is still before and after.

When one slide follows another on the same background, little of the picture changes and no shot begins. The difference
of each frame to the one before shows whether the change was sudden or gradual.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longtake.errors import EngineError, MediaError
from longtake.memory.records import Moment
from longtake.memory.timespan import ParsedSpan, TimeSpan
from longtake.preprocess.engines.activity_engine import ActivityEngine
from longtake.preprocess.engines.endpoints.caption_engine import VisualQuestionEngine
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolResult, evidence_of, unexamined
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.motion_facts import dated, known_motion, pictures_examined, shot_starts
from longtake.tools.vision.visual_questions import ask_for_activities, read_pictures, seen_by

SUDDEN, GRADUAL = "sudden change of a part of the picture", "gradual change of a part of the picture"
_AT_REST = 0.1  # mean levels by which a frame of a still picture differs from the one before
_REST = 5  # still frames before and after
_LEAST = 2.0  # mean levels of the whole change
_FEWEST = 5  # frames of a gradual one,
_LARGEST_STEP = 0.4  # largest share of the change in one frame
_AROUND = 2.0  # seconds before and after a span that may show the still picture


class _Step(NamedTuple):
    """A frame: its time in seconds, and its difference to the one before in mean levels."""

    time: float
    change: float


def quiet_changes(context: ToolContext, span: TimeSpan, cuts: Sequence[float]) -> list[Moment]:
    """The changes in a span that aren't at a cut, as evidence: "as by a cut" or "as by a dissolve".

    Args:
        context: the context of the open video.
        span: the span to examine.
        cuts: times of shot changes, also gradual ones.
    """
    layer = context.video.layer("changes")
    if layer is None:
        return []
    wide = span.widened(_AROUND, _AROUND, context.video.duration)
    steps = [
        _Step(time, change)
        for item in context.video.items("changes", wide)
        for time, change in zip(item["times"], item["change"], strict=True)
    ]
    found = []
    for run in _runs(steps):
        start, end, words = run[0].time, run[-1].time, _described([step.change for step in run])
        known = any(start - _AROUND / 2 <= cut <= end + _AROUND / 2 for cut in cuts)
        if words and not known and span.start <= start <= span.end:
            item = {"start": start, "end": end if words.startswith(GRADUAL) else start}
            found.append(evidence_of(item, words, "visual", layer, context.video.id))
    return found


def _runs(steps: Sequence[_Step]) -> Iterator[list[_Step]]:
    """The frames of each change, from the first to the last that differs."""
    moving = [place for place, step in enumerate(steps) if step.change > _AT_REST]
    first = 0
    for place in range(len(moving)):
        ends = place + 1 == len(moving) or moving[place + 1] - moving[place] > _REST
        if ends:
            begin, end = moving[first], moving[place]
            if begin >= _REST and end + _REST < len(steps):
                yield list(steps[begin : end + 1])
            first = place + 1


def _described(changes: Sequence[float]) -> str:
    """A change in words; empty if it is too small or neither sudden nor gradual."""
    if sum(changes) < _LEAST:
        return ""
    if len(changes) == 1:
        return f"{SUDDEN}, as by a cut"
    even = len(changes) >= _FEWEST and max(changes) <= _LARGEST_STEP * sum(changes)
    return f"{GRADUAL}, as by a dissolve" if even else ""


WINDOW = 10.0
LONGEST = 120.0  # seconds that are examined closely
MOST = 12


@tool(capabilities=("activities", "visual_question"))
def detect_activities(context: ToolContext, timestamp: Timestamp) -> ToolResult:
    """Actions, cuts, camera moves.

    Actions are named by a vision-language model, and by the descriptions of the index. Without a model, what moves
    where is measured.
    """
    parsed = context.span(timestamp, window=WINDOW)
    looked_at = pictures_examined(context, parsed.span)
    layer = context.video.layer("motion")
    notes = [*parsed.notes, *(unexamined(layer, parsed.span) if layer else ())]
    described = _captions(context, parsed.span)
    found = _activities(context, parsed, bool(described), notes)
    evidence = sorted(
        [*known_motion(context, parsed.span), *described, *found], key=lambda item: (item.span.start, item.span.end)
    )
    if not evidence:
        notes.append(f"no cut, no camera movement and nothing that moves in {parsed.span}")
    return ToolResult(
        tool="detect_activities",
        output={"activities": [dated(item) for item in evidence]},
        evidence=tuple(evidence),
        looked_at=looked_at,
        notes=tuple(notes),
    )


def _captions(context: ToolContext, span: TimeSpan) -> list[Moment]:
    """What a model described while the video was indexed; the same of neighbouring pictures once."""
    layer = context.video.layer("captions")
    if layer is None:
        return []
    found: list[Moment] = []
    for item in context.video.items("captions", span):
        seen = evidence_of(item, item["text"], "visual", layer, context.video.id)
        if found and found[-1].text == seen.text:
            whole = TimeSpan(start=found[-1].span.start, end=seen.span.end)
            found[-1] = found[-1].model_copy(update={"span": whole})
        else:
            found.append(seen)
    return found


def _activities(context: ToolContext, parsed: ParsedSpan, captioned: bool, notes: list[str]) -> Sequence[Moment]:
    """The actions that a model names, if one answers; else what moves and what changes."""
    span = parsed.span
    if context.engines.report("visual_question").engine is None:
        notes.append("movement was measured; naming actions needs a model: see visual_question in `doctor`")
    else:
        try:
            engine: VisualQuestionEngine = context.engines.load("visual_question")
            chosen = read_pictures(context, [span], asked=context.question, point=parsed.point)
            reply, shown = ask_for_activities(context, chosen)
            notes.append(f"{engine.id} was shown {shown.where}, not the video")
            return seen_by(context, engine, reply.said)
        except EngineError as error:
            notes.append(f"only movement was measured: {error}")
        except MediaError as error:
            notes.append(f"no picture was looked at: {error}")
    around = span.widened(1.0, 1.0, context.video.duration)
    changes = [] if captioned else quiet_changes(context, span, shot_starts(context, around))
    close = TimeSpan(start=span.start, end=min(span.end, span.start + LONGEST))
    if close != span:
        notes.append(f"movement was examined in {close} only: ask for a shorter span to see the rest")
    try:
        return [*changes, *_moving(context, close, notes)]
    except MediaError as error:
        notes.append(f"movement was not examined: {error}")
        return changes


def _moving(context: ToolContext, span: TimeSpan, notes: list[str]) -> list[Moment]:
    engine: ActivityEngine = context.engines.load("activities")
    path, media = context.video.media()
    found = engine.activities(path, media, span, shot_starts(context, span), context.budget.check)
    if len(found) > MOST:
        notes.append(f"{len(found) - MOST} smaller or shorter movements are omitted")
    return [
        Moment(
            video=context.video.id,
            span=each.span,
            modality="visual",
            text=each.text,
            score=each.score,
            engine=engine.id,
            box=each.box,
        )
        for each in found[:MOST]
    ]
