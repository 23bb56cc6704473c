"""Keeps what a tool found in a closer look, so that search finds it and nobody looks twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from filelock import Timeout

from longtake.errors import EngineError, LibraryError
from longtake.language.words import content_stems
from longtake.memory.closer_readings import ANSWERS, CloserReading
from longtake.memory.layers import LayerRecipe
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_engines import TextEmbedding
from longtake.preprocess.media.sources import source
from longtake.preprocess.pipeline.index_sync import LOCK_SECONDS
from longtake.tools.core.tool_context import ToolContext

_SAME_MEANING = 0.9  # cosine of two questions; "Who enters first?" and "Who leaves first?" have 0.85
_SAME_WORDS = 0.9  # share of the content words of two questions that both have


def started_from(context: ToolContext, *layers: str) -> dict[str, str]:
    """The layers on which a closer look is based, as inputs of its recipe: key by name, empty if missing."""
    return {name: context.video.record.layers.get(name, "") for name in layers}


def earlier_reading(
    context: ToolContext, recipe: LayerRecipe, span: TimeSpan, *, asked: str = "", least: float = 1.0
) -> CloserReading | None:
    """The stored reading of a span or of a longer one around it; see `CloserReadings.find`."""
    video = context.video
    with suppress(LibraryError):  # the tool reads again, and `keep_reading` says why
        return video.library.closer_readings.find(video.id, recipe, span, asked=asked, min_share=least)
    return None


def answered_before(context: ToolContext, questions: Sequence[str]) -> tuple[Moment, ...]:
    """What models said earlier to a question that means the same as one of these, each line with that question."""
    found: list[Moment] = []
    with suppress(LibraryError):
        for handle in [context.video] if context.chosen else context.videos.values():
            readings = handle.library.closer_readings.current(handle.id, handle.record.layers)
            answers = [reading for reading in readings if reading.recipe.name in ANSWERS]
            for reading, fits in zip(answers, _mean_the_same(context, answers, questions), strict=True):
                told = (f"asked “{reading.asked}”, a model said: {item.text}" for item in reading.found)
                lines = zip(reading.found, told, strict=True)
                found += [item.model_copy(update={"text": text}) for item, text in lines if fits]
    return tuple(found)


def _mean_the_same(context: ToolContext, answers: Sequence[CloserReading], questions: Sequence[str]) -> list[bool]:
    """For each answer, whether its question means one of these."""
    given = [question for question in questions if question.strip()]
    if not answers or not given:
        return [False] * len(answers)
    asked = [[reading.asked, reading.facts.get("question") or reading.asked] for reading in answers]
    wanted = [set(content_stems(question)) for question in given]
    same = [any(_alike(set(content_stems(text)), words) for text in texts for words in wanted) for texts in asked]
    with suppress(EngineError):
        engine: TextEmbedding = context.engines.load("text_embedding")
        stored, meant = engine.embed([text for texts in asked for text in texts]), engine.embed(given)
        nearest = (stored @ meant.T).max(axis=1).reshape(-1, 2).max(axis=1)
        same = [each or bool(cosine >= _SAME_MEANING) for each, cosine in zip(same, nearest, strict=True)]
    return same


def _alike(one: set[str], other: set[str]) -> bool:
    return bool(one) and len(one & other) >= _SAME_WORDS * len(one | other)


def keep_reading(
    context: ToolContext,
    recipe: LayerRecipe,
    span: TimeSpan,
    found: Sequence[Moment],
    *,
    asked: str = "",
    facts: Mapping[str, Any] | None = None,
) -> tuple[str, ...]:
    """Store a reading for later questions and searches. If that fails, a note says why, and nothing is lost."""
    video = context.video
    if source(video.record) is None:  # readings of another file must not be stored for it
        return (f"not stored for later questions: {video.record.name} has changed since it was indexed",)
    reading = CloserReading(
        video=video.id, recipe=recipe, asked=asked, span=span, found=tuple(found), facts=facts or {}
    )
    space, vectors = _embedded(context, reading.texts)
    reading = reading.model_copy(update={"space": space, "vectors": vectors})
    try:
        with video.library.lock(video.id).acquire(timeout=LOCK_SECONDS):
            if video.library.get(video.id):  # otherwise it was deleted in the meantime
                video.library.closer_readings.keep(reading)
    except Timeout:
        return (f"not stored for later questions: {video.record.name} is being indexed",)
    except (LibraryError, OSError) as error:
        reason = error if video.library.writable else "the library can't be written"
        return (f"not stored for later questions: {reason}",)
    return ()


def _embedded(context: ToolContext, texts: Sequence[str]) -> tuple[str, bytes]:
    """The embedding space and the vectors of texts; both empty if nothing can embed them."""
    if not texts:
        return "", b""
    try:
        engine: TextEmbedding = context.engines.load("text_embedding")
        return engine.id, np.round(engine.embed(texts), 6).astype(np.float32).tobytes()
    except EngineError:
        return "", b""
