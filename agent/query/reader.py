"""Reads a question: its sources and its target, by linear heads on its sentence embedding and hashed n-grams."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from longtake.agent.query.query import SOURCES, TARGETS, Reading
from longtake.errors import ConfigError, LongtakeError
from longtake.language.languages import ENGLISH, language_in
from longtake.language.words import words as words_in
from longtake.lazy import cached_property
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.text_engines import Reranker, TextEmbedding

Matrix = npt.NDArray[np.float32]
DIMENSIONS = 1024  # of the n-grams, which tell apart what a sentence embedding blurs
_ANY = "What is this video about?"
_PIECE = 4  # letters; a typo leaves most pieces of a word intact


@dataclass(frozen=True, slots=True)
class Softmax:
    """A linear head: `weights` (features, classes) and `bias` (classes,)."""

    weights: Matrix
    bias: Matrix

    def __call__(self, features: Matrix) -> Matrix:
        """Probabilities, (rows, classes), of features (rows, features)."""
        return shares(features @ self.weights + self.bias)


def shares(scores: Matrix) -> Matrix:
    """Scores as probabilities, row by row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: Matrix = powers / powers.sum(axis=1, keepdims=True)
    return probabilities


@dataclass(frozen=True, slots=True)
class Heads:
    """Weights learned for one embedding."""

    sources: Softmax
    targets: Softmax

    def read(self, question: str, vector: Matrix) -> Reading:
        """Read one question, given its embedding."""
        row = features([question], vector[None])
        [sources], [targets] = self.sources(row), self.targets(row)
        return Reading(
            sources={name: round(float(share), 4) for name, share in zip(SOURCES, sources, strict=True)},
            targets={name: round(float(share), 4) for name, share in zip(TARGETS, targets, strict=True)},
        )


def family(embedding: str) -> str:
    """The key of an embedding's heads: its id without version and digest."""
    return embedding.partition("-")[0]


def features(questions: Sequence[str], vectors: Matrix) -> Matrix:
    """The input of the heads for questions and their embeddings: (questions, dimensions + n-grams)."""
    return np.concatenate([vectors, hashed(questions)], axis=1)


def load_heads(embedding: TextEmbedding) -> Heads | None:
    """The heads fitted for an embedding; None if there are none."""
    file = files("longtake.agent.query") / f"{family(embedding.id)}.npz"
    if not file.is_file():
        return None
    with np.load(io.BytesIO(file.read_bytes())) as archive:
        arrays = {name: archive[name].astype(np.float32) for name in archive.files}
    return Heads(
        Softmax(arrays["sources_weights"], arrays["sources_bias"]),
        Softmax(arrays["targets_weights"], arrays["targets_bias"]),
    )


def hashed(texts: Sequence[str]) -> Matrix:
    """Logarithmic counts as rows of length 1, (texts, `DIMENSIONS`); all zero in other languages than the examples'."""
    counts = np.zeros((len(texts), DIMENSIONS), np.float32)
    for row, text in enumerate(texts):
        for part in _parts(text) if language_in(text) == ENGLISH else ():
            counts[row, zlib.crc32(part.encode()) % DIMENSIONS] += 1
    damped: Matrix = np.log1p(counts)
    lengths = np.maximum(np.linalg.norm(damped, axis=1, keepdims=True), 1e-6)
    unit: Matrix = damped / lengths
    return unit


def _parts(text: str) -> Iterator[str]:
    words = ["0" if word[0].isdigit() else word for word in words_in(text)]
    yield from words
    yield from (f"{one} {other}" for one, other in pairwise(words))
    for word in words:
        edged = f"^{word}$"
        yield from (edged[start : start + _PIECE] for start in range(len(edged)))


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

    def warm(self) -> None:
        """Load the models, so that the first question doesn't wait; that question says what is missing."""
        with suppress(LongtakeError):
            self.read(_ANY)
            if self.reranker:
                self.reranker.score(_ANY, [_ANY])

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
