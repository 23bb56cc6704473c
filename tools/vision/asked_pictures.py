"""Where a video may show what a question asks about: pictures like its words, and things that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from longtake.errors import EngineError, LibraryError
from longtake.memory.layers import Layer
from longtake.memory.search.search_index import Vectors
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.objects_query import kinds_named
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.layers.frame_vectors import FILE
from longtake.tools.core.tool_context import ToolContext


def similar_pictures(context: ToolContext, question: str) -> list[float]:
    """The times of a video's pictures that match the words of a question, the most similar first.

    None without image-text vectors or the engine that made them, or if they can't be used: it is no error.
    """
    with suppress(EngineError, LibraryError):
        layer = context.video.layer("frame_vectors")
        engines: list[ImageTextEmbedding] = context.engines.load_each("image_text_embedding")
        for engine in engines:
            if question and layer and engine.id == layer.engine:
                return _ranked(layer, engine, question)
    return []


def sightings(context: ToolContext, question: str, span: TimeSpan) -> list[float]:
    """The times in a span at which detected things that a question names are seen best.

    First each thing once, the clearest and largest ahead, then each again.
    """
    with suppress(LibraryError):
        items = context.video.items("detections", span)
        kinds = kinds_named(question, {item["name"] for item in items})
        seen = [each for item in items if item["name"] in kinds for each in _seen(item, span)]
        return [time for _, _, time in sorted(seen)]
    return []


def _ranked(layer: Layer, engine: ImageTextEmbedding, question: str) -> list[float]:
    layer.check()
    vectors: Vectors = np.load(layer.path / FILE, allow_pickle=False)
    scores = vectors @ engine.embed_texts([question])[0]
    times = np.array([item["time"] for item in layer.items()])
    best_first = np.argsort(-scores, kind="stable")
    found: list[float] = times[best_first[scores[best_first] > engine.floor]].tolist()
    return found


def _seen(item: Mapping[str, Any], span: TimeSpan) -> Iterator[tuple[int, float, float]]:
    """For each time a thing was seen in a span: how often larger, how well with the sign turned, and when."""
    inside = [box for box in item["boxes"] if span.start <= box[0] < span.end]
    inside.sort(key=lambda box: -box[3] * box[4])
    for place, (time, _, _, width, height) in enumerate(inside):
        yield place, -item["confidence"] * width * height, time
