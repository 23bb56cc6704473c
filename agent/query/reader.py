"""Reads a question: embeds it once and applies the heads that were fitted for that embedding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longtake.agent.query.heads import Heads, Matrix, family, load_heads
from longtake.agent.query.query import Reading
from longtake.errors import ConfigError
from longtake.lazy import cached_property
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.reranker import Reranker
from longtake.preprocess.engines.text.text_embedding import TextEmbedding


class Reader(Protocol):
    """Estimates the sources and the target of a question."""

    def read(self, question: str) -> Reading:
        """The probability of every source and target."""
        ...


class LearnedReader:
    """The heads on the first text embedding in the settings that has them."""

    def __init__(self, engines: EngineTable) -> None:
        """Take the engines. Nothing is loaded before the first question."""
        self._engines = engines

    def read(self, question: str) -> Reading:
        """The probability of every source and target.

        Raises:
            ConfigError: if the settings name no embedding with fitted heads.
        """
        embedding, heads = self._fitted
        return heads.read(question, embedding.embed([question])[0])

    @cached_property
    def embedding(self) -> TextEmbedding:
        """The embedding that reads questions."""
        return self._fitted[0]

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Texts in the same space, (texts, dimensions)."""
        return self.embedding.embed(texts)

    def family(self) -> str:
        """The key of everything that was fitted for the embedding."""
        return family(self.embedding.id)

    @cached_property
    def reranker(self) -> Reranker | None:
        """What reads a question together with a passage; None if nothing here does."""
        there = self._engines.report("reranking").engine is not None
        return self._engines.load("reranking") if there else None

    @cached_property
    def _fitted(self) -> tuple[TextEmbedding, Heads]:
        embeddings: list[TextEmbedding] = self._engines.load_each("text_embedding")
        for embedding in embeddings:
            if heads := load_heads(embedding):
                return embedding, heads
        raise ConfigError(
            "engines.text_embedding names no engine that can read questions. Add wordllama, which is always available."
        )
