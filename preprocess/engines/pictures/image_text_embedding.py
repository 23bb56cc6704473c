"""The protocol of image-text embedding: pictures and texts as vectors in one space, compared by inner product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longtake.memory.search.search_types import Vectors
from longtake.preprocess.engines.text.vector_space import EmbeddingSpace
from longtake.preprocess.media.frames import Picture


class ImageTextEmbedding(EmbeddingSpace, Protocol):
    """Embeds pictures and texts."""

    def embed_images(self, pictures: Sequence[Picture]) -> Vectors:
        """One row of length 1 for each picture, (height, width, 3) BGR: (pictures, dimensions) float32.

        Raises:
            EngineError: if the model can't be loaded.
        """
        ...

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, dimensions) float32; all zero if the model knows none of it.

        Raises:
            EngineError: if the model can't be loaded.
        """
        ...
