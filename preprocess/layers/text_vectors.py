"""The layer `text_vectors`: embeddings of a video's moments."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from longtake.errors import LibraryError
from longtake.memory.building import LayerWriter
from longtake.memory.layers import Layer, LayerRecipe
from longtake.memory.search.search_types import Vectors
from longtake.memory.timespan import joined
from longtake.preprocess.engines.text.text_engines import TextEmbedding
from longtake.preprocess.layers.layer_moments import SOURCES, VERSION, moments_of
from longtake.preprocess.layers.step import IndexJob

FILE = "vectors.npy"
_BATCH = 1024


class TextVectors:
    """Embeds the moments of a video; row n of `vectors.npy` belongs to item n."""

    name = "text_vectors"
    capability = "text_embedding"
    version = 1

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer if there is a layer to embed."""
        inputs = {name: job.layers[name].key for name in SOURCES if name in job.layers}
        if not inputs:
            return ()
        engine: TextEmbedding = job.engines.load("text_embedding")
        return (LayerRecipe(self.name, self.version, engine.id, {"moments": VERSION}, inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Write one item per moment and the vectors."""
        engine: TextEmbedding = job.engines.load("text_embedding")
        writer = writers[self.name]
        moments = moments_of("", job.layers)
        known = _known(job.layers.get(self.name), engine.id)
        texts = list(dict.fromkeys(moment.text for moment in moments if moment.text not in known))
        for first in range(0, len(texts), _BATCH):
            job.check_cancelled()
            batch = texts[first : first + _BATCH]
            known.update(zip(batch, np.round(engine.embed(batch), 6), strict=True))
            job.progress((first + len(batch)) / len(texts))
        vectors = np.zeros((len(moments), engine.dimensions), np.float32)
        for row, moment in enumerate(moments):
            vectors[row] = known[moment.text]
        np.save(writer.folder / FILE, vectors)
        for moment in moments:
            span = moment.span
            writer.add({"start": span.start, "end": span.end, "modality": moment.modality, "text": moment.text})
        writer.cover(joined(span for name in SOURCES if name in job.layers for span in job.layers[name].covered))


def _known(earlier: Layer | None, engine: str) -> dict[str, Vectors]:
    """The vectors of texts that the engine has embedded for the layer that is replaced; none if that is damaged."""
    if earlier is None or earlier.engine != engine:
        return {}
    with suppress(LibraryError, OSError, ValueError):
        return dict(zip((item["text"] for item in earlier.items()), load_vectors(earlier), strict=True))
    return {}


def load_vectors(layer: Layer) -> Vectors:
    """The vectors of a `text_vectors` layer, (moments, dimensions), in the order of `moments_of`."""
    vectors: Vectors = np.load(layer.path / FILE, allow_pickle=False)
    return vectors
