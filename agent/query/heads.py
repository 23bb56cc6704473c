"""The two heads that read a question: its sources and its target, from a sentence embedding and hashed n-grams."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from longtake.agent.query.bank import Example
from longtake.agent.query.ngrams import hashed
from longtake.agent.query.query import SOURCES, TARGETS, Reading
from longtake.agent.query.softmax import Matrix, Softmax, fit_softmax
from longtake.preprocess.engines.text.text_embedding import TextEmbedding

_DECAY = 1e-4  # best likelihood on left-out clips; 5e-4 gets a few more sources right, but all with less confidence
_TEMPERATURE = 0.75  # of targets: the best likelihood on left-out folds; for sources 1 is as good


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


def fit_heads(examples: Sequence[Example], seen: Matrix) -> Heads:
    """Fit both heads.

    Args:
        examples: the bank.
        seen: their `features`.
    """
    sources = np.zeros((len(examples), len(SOURCES)), np.float32)
    targets = np.zeros((len(examples), len(TARGETS)), np.float32)
    for row, example in enumerate(examples):
        sources[row, [SOURCES.index(name) for name in example.sources]] = 1 / len(example.sources)
        targets[row, TARGETS.index(example.target)] = 1
    rows = np.repeat(np.arange(len(examples)), [example.times for example in examples])
    return Heads(
        fit_softmax(seen[rows], sources[rows], decay=_DECAY),
        fit_softmax(seen[rows], targets[rows], decay=_DECAY).cooled(_TEMPERATURE),
    )


def packed(heads: Heads) -> bytes:
    """Save the heads as a file."""
    file = io.BytesIO()
    arrays = {"sources": heads.sources, "targets": heads.targets}
    named = {f"{name}_{part}": getattr(head, part) for name, head in arrays.items() for part in ("weights", "bias")}
    np.savez_compressed(file, **{name: array.astype(np.float16) for name, array in named.items()})
    return file.getvalue()


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


def digest_of(examples: Sequence[Example]) -> str:
    """Sixteen hex digits that identify the bank the heads were fitted to."""
    joined = "\n".join(example.model_dump_json() for example in examples)
    return hashlib.blake2b(joined.encode(), digest_size=8).hexdigest()
