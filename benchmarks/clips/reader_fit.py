"""Refits the heads that read questions, and cross-validates them in ten folds."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from longtake.agent.fitted import rewrite
from longtake.agent.query.query import SOURCES, TARGETS, Reading
from longtake.agent.query.reader import Heads, Matrix, Softmax, family, features
from longtake.benchmarks.clips.examples import Example, load_bank
from longtake.benchmarks.clips.softmax_fit import fit_softmax
from longtake.benchmarks.reports import Notify, Report, Share
from longtake.console import Session
from longtake.memory.records import Record
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.text_engines import TextEmbedding

FOLDS = 10
_DECAY = 1e-4  # best likelihood on left-out clips; 5e-4 gets a few more sources right, but all with less confidence
_TEMPERATURE = 0.75  # of targets: the best likelihood on left-out folds; for sources 1 is as good


class FittedHeads(Record):
    """The heads of one embedding: what they were fitted to, and how well they read other questions."""

    embedding: str
    examples: int
    bank: str
    fitted: str
    sources: Share
    targets: Share


class ReaderReport(Report):
    """What each text embedding here reaches."""

    heads: tuple[FittedHeads, ...]


def measure_reader(
    session: Session,
    notify: Notify,
    write: Annotated[Path | None, typer.Option(help="Write the fitted heads to this folder: agent.")] = None,
) -> ReaderReport:
    """Cross-validate how well the heads read the questions of the bank, and refit the heads."""
    bank = load_bank()
    embeddings: list[TextEmbedding] = EngineTable(session.settings).load_each("text_embedding")
    fitted = []
    for embedding in embeddings:
        notify(f"reading {len(bank)} questions with {embedding.id}")
        questions = [example.question for example in bank]
        vectors = embedding.embed(questions)
        seen = features(questions, vectors)
        fitted.append(_cross_validated(embedding.id, bank, vectors, seen))
        if write:
            (write / "query" / f"{family(embedding.id)}.npz").write_bytes(_packed(fit_heads(bank, seen)))
            rewrite(write, family(embedding.id), {"heads": fitted[-1].model_dump(mode="json")})
    return ReaderReport(heads=tuple(fitted))


def _cross_validated(embedding: str, bank: Sequence[Example], vectors: Matrix, seen: Matrix) -> FittedHeads:
    fold = np.random.default_rng(0).permutation(len(bank)) % FOLDS
    readings: dict[int, Reading] = {}
    for number in range(FOLDS):
        inside = np.flatnonzero(fold != number).tolist()
        heads = fit_heads([bank[row] for row in inside], seen[inside])
        outside = np.flatnonzero(fold == number).tolist()
        readings |= {row: heads.read(bank[row].question, vectors[row]) for row in outside}
    sources = sum(readings[row].source in example.sources for row, example in enumerate(bank))
    targets = sum(readings[row].target == example.target for row, example in enumerate(bank))
    return FittedHeads(
        embedding=embedding,
        examples=len(bank),
        bank=digest_of(bank),
        fitted=datetime.now(UTC).date().isoformat(),
        sources=Share.of(sources, len(bank)),
        targets=Share.of(targets, len(bank)),
    )


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
    of_targets = fit_softmax(seen[rows], targets[rows], decay=_DECAY)
    # Divided by a temperature (Guo et al. 2017); below 1, it is more confident.
    cooled = Softmax(of_targets.weights / np.float32(_TEMPERATURE), of_targets.bias / np.float32(_TEMPERATURE))
    return Heads(fit_softmax(seen[rows], sources[rows], decay=_DECAY), cooled)


def _packed(heads: Heads) -> bytes:
    """Save the heads as a file."""
    file = io.BytesIO()
    arrays = {"sources": heads.sources, "targets": heads.targets}
    named = {f"{name}_{part}": getattr(head, part) for name, head in arrays.items() for part in ("weights", "bias")}
    np.savez_compressed(file, **{name: array.astype(np.float16) for name, array in named.items()})
    return file.getvalue()


def digest_of(examples: Sequence[Example]) -> str:
    """Sixteen hex digits that identify the bank the heads were fitted to."""
    joined = "\n".join(example.model_dump_json() for example in examples)
    return hashlib.blake2b(joined.encode(), digest_size=8).hexdigest()
