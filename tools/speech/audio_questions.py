"""Asks a model about the sound of a segment."""

from __future__ import annotations

import numpy as np

from longtake.errors import EngineError
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.sounds.audio_question import AudioQuestionEngine
from longtake.preprocess.media.audio import read_audio
from longtake.prompts import render
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.timed_lines import UNTOLD

_PROMPTS = "longtake.tools.prompts"


def ask_about_sound(context: ToolContext, span: TimeSpan, question: str) -> tuple[tuple[Evidence, ...], str]:
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
    found = Evidence(video=context.video.id, span=heard, modality="audio", content=reply, engine=engine.id)
    return (found,), f"{engine.id} heard {heard}"
