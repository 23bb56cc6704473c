"""Closer looks of tools: taken once and kept in the library, where search finds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from filelock import Timeout

from longtake.errors import EngineError, LibraryError
from longtake.memory.closer_readings import Reading
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import VideoRecord
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.preprocess.pipeline.index_sync import LOCK_SECONDS
from longtake.tools.core.tool_context import ToolContext


def started_from(context: ToolContext, *layers: str) -> dict[str, str]:
    """What a recipe says of the layers that a look starts from: key by name, empty where there is none."""
    return {name: context.video.record.layers.get(name, "") for name in layers}


def earlier_reading(
    context: ToolContext, recipe: LayerRecipe, span: TimeSpan, *, asked: str = "", least: float = 1.0
) -> Reading | None:
    """What an earlier look at a span or around it kept; see `Refined.find`."""
    video = context.video
    with suppress(LibraryError):  # it is looked again, and `keep_reading` says why
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
    """Keep a look for later questions and searches; where that cannot be, a note says why, and nothing is lost."""
    video = context.video
    if not _as_indexed(video.record):
        return (f"not kept for later questions: {video.record.name} has changed since it was indexed",)
    reading = Reading(video=video.id, recipe=recipe, asked=asked, span=span, found=tuple(found), facts=facts or {})
    space, vectors = _embedded(context, reading.texts)
    reading = reading.model_copy(update={"space": space, "vectors": vectors})
    try:
        with video.library.lock(video.id).acquire(timeout=LOCK_SECONDS):
            if video.library.get(video.id):  # else it was deleted meanwhile
                video.library.refined.keep(reading)
    except Timeout:
        return (f"not kept for later questions: {video.record.name} is being indexed",)
    except (LibraryError, OSError) as error:
        return (f"not kept for later questions: {error}",)
    return ()


def _as_indexed(record: VideoRecord) -> bool:
    """Whether the file is still the one that has the video's id: what another shows must not be kept for it."""
    try:
        status = Path(record.path).stat()
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (record.size, record.modified)


def _embedded(context: ToolContext, texts: Sequence[str]) -> tuple[str, bytes]:
    """The space and the rows of texts; none where nothing can embed them."""
    if not texts:
        return "", b""
    try:
        engine: TextEmbedding = context.engines.load("text_embedding")
        return engine.id, np.round(engine.embed(texts), 6).astype(np.float32).tobytes()
    except EngineError:
        return "", b""
