"""`detect_activities`."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.errors import EngineError, MediaError
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.activity_engine import ActivityEngine
from longtake.tools.core.evidence import unexamined
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.motion_facts import dated, known_motion, pictures_examined, shot_starts
from longtake.tools.vision.quiet_changes import quiet_changes
from longtake.tools.vision.visual_questions import ask_for_activities, read_pictures

WINDOW = 10.0
LONGEST = 120.0  # seconds that are examined closely
MOST = 12


@tool(capabilities=("activities", "visual_question"))
def detect_activities(context: ToolContext, timestamp: Timestamp) -> ToolResult:
    """Describe what happens in a segment: cuts, camera movement, still pictures, and what moves where.

    Human actions are named only if a vision-language model is configured.
    """
    parsed = context.span(timestamp, window=WINDOW)
    looked_at = pictures_examined(context, parsed.span)
    layer = context.video.layer("motion")
    close = TimeSpan(start=parsed.span.start, end=min(parsed.span.end, parsed.span.start + LONGEST))
    notes = [*parsed.notes, *(unexamined(layer, parsed.span) if layer else ())]
    if close != parsed.span:
        notes.append(f"movement was examined in {close} only: ask for a shorter span to see the rest")
    try:
        found = _seen(context, close, notes)
    except MediaError as error:
        found = []
        notes.append(f"movement was not examined: {error}")
    changes = quiet_changes(
        context, parsed.span, shot_starts(context, parsed.span.widened(1.0, 1.0, context.video.duration))
    )
    evidence = sorted(
        [*known_motion(context, parsed.span), *changes, *found], key=lambda item: (item.span.start, item.span.end)
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


def _seen(context: ToolContext, span: TimeSpan, notes: list[str]) -> Sequence[Evidence]:
    """The actions that a model names, if one answers; else what moves."""
    if context.engines.report("visual_question").engine is None:
        notes.append("movement was measured; naming actions needs a model: see visual_question in `doctor`")
        return _moving(context, span, notes)
    try:
        return _described(context, span, notes)
    except EngineError as error:
        notes.append(f"only movement was measured: {error}")
        return _moving(context, span, notes)


def _described(context: ToolContext, span: TimeSpan, notes: list[str]) -> list[Evidence]:
    pictures = read_pictures(context, span)
    engine = context.engines.load("visual_question").id
    notes.append(f"{engine} was shown {len(pictures)} frames of {span}, not the video")
    return [
        Evidence(video=context.video.id, span=when, modality="visual", content=text, engine=engine)
        for when, text in ask_for_activities(context, span, pictures)
    ]


def _moving(context: ToolContext, span: TimeSpan, notes: list[str]) -> list[Evidence]:
    engine: ActivityEngine = context.engines.load("activities")
    path, media = context.video.media()
    found = engine.activities(path, media, span, shot_starts(context, span), context.budget.check)
    if len(found) > MOST:
        notes.append(f"{len(found) - MOST} smaller or shorter movements are omitted")
    return [
        Evidence(
            video=context.video.id,
            span=each.span,
            modality="visual",
            content=each.text,
            score=each.score,
            engine=engine.id,
            box=each.box,
        )
        for each in found[:MOST]
    ]
