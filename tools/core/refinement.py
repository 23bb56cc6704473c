"""Stores a tool's closer reading once in the library, where search finds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from filelock import Timeout

from longtake.errors import EngineError, LibraryError
from longtake.memory.closer_readings import Reading
from longtake.memory.layers import LayerRecipe
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.preprocess.media.sources import source
from longtake.preprocess.pipeline.index_sync import LOCK_SECONDS
from longtake.tools.core.tool_context import ToolContext


def started_from(context: ToolContext, *layers: str) -> dict[str, str]:
    """The layers on which a reading is based, for a recipe: key by name, empty if missing."""
    return {name: context.video.record.layers.get(name, "") for name in layers}


def earlier_reading(
    context: ToolContext, recipe: LayerRecipe, span: TimeSpan, *, asked: str = "", least: float = 1.0
) -> Reading | None:
    """The stored reading of a span or of a longer one around it; see `Refined.find`."""
    video = context.video
    with suppress(LibraryError):  # the tool reads again, and `keep_reading` says why
        return video.library.refined.find(video.id, recipe, span, asked=asked, min_share=least)
    return None


def keep_reading(
    context: ToolContext,
    recipe: LayerRecipe,
    span: TimeSpan,
    found: Sequence[Evidence],
    *,
    asked: str = "",
    facts: Mapping[str, Any] | None = None,
) -> tuple[str, ...]:
    """Store a reading for later questions and searches. If that fails, a note says why, and nothing is lost."""
    video = context.video
    if source(video.record) is None:  # readings of another file must not be stored for it
        return (f"not stored for later questions: {video.record.name} has changed since it was indexed",)
    reading = Reading(video=video.id, recipe=recipe, asked=asked, span=span, found=tuple(found), facts=facts or {})
    space, vectors = _embedded(context, reading.texts)
    reading = reading.model_copy(update={"space": space, "vectors": vectors})
    try:
        with video.library.lock(video.id).acquire(timeout=LOCK_SECONDS):
            if video.library.get(video.id):  # otherwise it was deleted in the meantime
                video.library.refined.keep(reading)
    except Timeout:
        return (f"not stored for later questions: {video.record.name} is being indexed",)
    except (LibraryError, OSError) as error:
        reason = error if video.library.writable else "the library can't be written"
        return (f"not stored for later questions: {reason}",)
    return ()


def _embedded(context: ToolContext, texts: Sequence[str]) -> tuple[str, bytes]:
    """The embedding space and the vectors of texts; None if nothing can embed them."""
    if not texts:
        return "", b""
    try:
        engine: TextEmbedding = context.engines.load("text_embedding")
        return engine.id, np.round(engine.embed(texts), 6).astype(np.float32).tobytes()
    except EngineError:
        return "", b""
