"""`detect_audio_events`, from the index or by asking a model about the sound of a segment."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from longtake.errors import EngineError
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.engines.sounds.sound_engine import AudioQuestionEngine
from longtake.preprocess.media.audio import read_audio
from longtake.prompts import render
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult, evidence_of, examined, unexamined
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.timed_lines import UNTOLD

_PROMPTS = "longtake.tools.prompts"


def ask_about_sound(context: ToolContext, span: TimeSpan, question: str) -> tuple[tuple[Moment, ...], str]:
    """A model's answer to a question about a span, and a note; neither without a question or a model.

    A model that fails leaves a note, because the sounds that were found remain true.

    Raises:
        MediaError: if the file can't be read.
    """
    if not question.strip() or context.engines.report("audio_question").engine is None:
        return (), ""
    engine: AudioQuestionEngine = context.engines.load("audio_question")
    heard = TimeSpan(start=span.start, end=min(span.end, span.start + engine.seconds))
    path, media = context.video.media()
    blocks = read_audio(path, media, rate=engine.rate, span=heard, check_cancelled=context.budget.check)
    samples = [block.samples for block in blocks]
    if not samples:
        return (), ""
    prompt = render(_PROMPTS, "listen", question=question)
    try:
        reply = engine.answer(prompt, np.concatenate(samples), context.budget.left)
    except EngineError as error:
        return (), str(error)
    untold = UNTOLD.match(reply)
    if untold or not reply:
        return (), f"{engine.id} can't tell: {reply[untold.end() :] if untold else 'it gave no answer'}"
    found = Moment(video=context.video.id, span=heard, modality="audio", text=reply, engine=engine.id)
    return (found,), f"{engine.id} heard {heard}"


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
    output = {"description": "; ".join([*lines, *(item.text for item in answer)])}
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
