"""The two heads that read a question: its sources and its target, from a sentence embedding and hashed n-grams."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from longtake.agent.query.ngrams import hashed
from longtake.agent.query.query import SOURCES, TARGETS, Reading
from longtake.agent.query.softmax import Matrix, Softmax
from longtake.preprocess.engines.text.text_embedding import TextEmbedding


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
