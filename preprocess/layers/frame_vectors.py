"""The layer `frame_vectors`: an embedding of every second's picture, so that text queries find pictures."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from longtake.memory.building import LayerWriter
from longtake.memory.layers import Layer, LayerRecipe
from longtake.memory.records import Moment
from longtake.memory.search.search_types import Batch, Vectors
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.frames import read_jpeg

FILE = "vectors.npy"
_CHUNK = 64  # pictures


class FrameVectors:
    """Embeds the keyframe of every second; row n of `vectors.npy` belongs to item n, {start, end, time, file}."""

    name = "frame_vectors"
    capability = "image_text_embedding"
    version = 1

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe if there are keyframes."""
        keyframes = job.layers.get("keyframes")
        if keyframes is None:
            return ()
        engine: ImageTextEmbedding = job.engines.load("image_text_embedding")
        return (LayerRecipe(self.name, self.version, engine.id, inputs={keyframes.name: keyframes.key}),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Embed the pictures in chunks, reusing those from an earlier build."""
        keyframes = job.layers["keyframes"]
        writer = writers[self.name]
        items = [item for item in keyframes.items() if item["kind"] == "second"]
        parts = []
        for first in range(0, len(items), _CHUNK):
            job.check_cancelled()
            batch = items[first : first + _CHUNK]
            parts.append(_embedded(job, f"{first // _CHUNK:05d}", [keyframes.path / item["file"] for item in batch]))
            job.progress((first + len(batch)) / len(items))
        engine: ImageTextEmbedding = job.engines.load("image_text_embedding")
        np.save(writer.folder / FILE, np.concatenate([np.zeros((0, engine.dimensions), np.float32), *parts]))
        for item in items:
            writer.add({name: item[name] for name in ("start", "end", "time", "file")})
        writer.cover(keyframes.covered)


def frame_batch(video_id: str, layer: Layer) -> Batch:
    """The seconds of a `frame_vectors` layer as moments without text, searchable only by vector."""
    vectors: Vectors = np.load(layer.path / FILE, allow_pickle=False)
    moments = [_moment(video_id, layer, item) for item in layer.items()]
    return Batch(layer.engine, moments, vectors)


def _moment(video_id: str, layer: Layer, item: Mapping[str, Any]) -> Moment:
    return Moment(
        video=video_id,
        span=TimeSpan(start=item["start"], end=item["end"]),
        modality="visual",
        text="",
        engine=layer.engine,
        layer=layer.key,
    )


def _embedded(job: IndexJob, chunk: str, files: Sequence[Path]) -> Vectors:
    """Vectors of pictures, (files, dimensions): those stored under the chunk's name, or new ones, then stored."""
    kept = job.chunks.get(chunk)
    if kept is None:
        engine: ImageTextEmbedding = job.engines.load("image_text_embedding")
        stream = io.BytesIO()
        np.save(stream, np.round(engine.embed_images([read_jpeg(file) for file in files]), 6))
        kept = stream.getvalue()
        job.chunks.put(chunk, kept)
    vectors: Vectors = np.load(io.BytesIO(kept), allow_pickle=False)
    return vectors
