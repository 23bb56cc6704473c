"""`detect_audio_events`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from longtake.memory.timespan import clock
from longtake.tools.core.evidence import evidence_of, examined, unexamined
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.speech.audio_questions import ask_about_sound

WINDOW = 10.0
IN_WORDS = {"siren": "siren-like sound", "applause": "applause-like sound"}


@tool(capabilities=("sounds", "audio_question"))
def detect_audio_events(
    context: ToolContext,
    timestamp: Timestamp,
    question: Annotated[
        str, Field(description="What to find out by listening; a model answers it if there is one.", max_length=2000)
    ] = "",
) -> ToolResult:
    """Music, silence, bangs, tones.

    Found are speech, music, silence, loud, quiet, bang, tone, siren and applause, with times; with a tagger, also
    everyday sounds by name, such as a dog's bark. A model that hears answers a question about them.
    """
    parsed = context.span(timestamp, window=WINDOW)
    video = context.video
    layer = video.layer("sounds")
    if layer is None:
        raise ToolError(
            "unavailable", "The sounds of this video weren't analysed.", "Index it again if it has a sound track."
        )
    items = video.items("sounds", parsed.span)
    evidence = tuple(
        evidence_of(item, describe(item), "audio", layer, video.id, confidence=item["confidence"]) for item in items
    )
    lines = [f"{clock(item['start'], decimals=1)}-{clock(item['end'], decimals=1)} {describe(item)}" for item in items]
    notes = (*parsed.notes, *unexamined(layer, parsed.span))
    if not items:
        notes = (*notes, f"no sound event in {parsed.span}")
    answer, note = ask_about_sound(context, parsed.span, question)
    output = {"description": "; ".join([*lines, *(item.content for item in answer)])}
    return ToolResult(
        tool="detect_audio_events",
        output=output,
        evidence=(*answer, *evidence),
        looked_at=examined(layer, parsed.span),
        notes=(*notes, note) if note else notes,
    )


def describe(item: dict[str, Any]) -> str:
    """One sound event in words. The first word is its kind; the source of the sound is unknown."""
    if item["kind"] == "tone" and "hz" in item:
        return f"tone of {item['hz']:.0f} Hz"
    return IN_WORDS.get(item["kind"], str(item["kind"]))
