"""Text embedding: texts to vectors whose inner product says how near two meanings are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longtake.memory.search.search_index import Vectors
from longtake.preprocess.engines.text.vector_space import VectorSpace


class TextEmbedding(VectorSpace, Protocol):
    """A model of text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, dimensions) float32; a text without a known word is all zero.

        Raises:
            EngineError: when the model cannot be loaded.
        """
        ...
