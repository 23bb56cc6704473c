"""Image-text embedding: pictures and texts as vectors of one space, whose inner product says how near they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longtake.memory.search.search_index import Vectors
from longtake.preprocess.engines.text.vector_space import VectorSpace
from longtake.preprocess.media.frames import Picture


class ImageTextEmbedding(VectorSpace, Protocol):
    """A model of pictures and texts."""

    def embed_images(self, pictures: Sequence[Picture]) -> Vectors:
        """One row of length 1 for each picture, (height, width, 3) BGR: (pictures, dimensions) float32.

        Raises:
            EngineError: when the model cannot be loaded.
        """
        ...

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, dimensions) float32; all zero where the model can say nothing.

        Raises:
            EngineError: when the model cannot be loaded.
        """
        ...
