"""The protocol of text embedding: texts as vectors whose inner product measures similarity of meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longtake.memory.search.search_types import Vectors
from longtake.preprocess.engines.text.vector_space import EmbeddingSpace


class TextEmbedding(EmbeddingSpace, Protocol):
    """Embeds texts."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, dimensions) float32; a text without a known word is all zero.

        Raises:
            EngineError: if the model can't be loaded.
        """
        ...
