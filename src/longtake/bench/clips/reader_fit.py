"""Refits the heads that read questions, and cross-validates them.

There are ten folds: all wordings about a clip are in one fold, the other examples are distributed at random.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from longtake.agent.query.bank import Example, load_bank
from longtake.agent.query.heads import digest_of, family, features, fit_heads, packed
from longtake.agent.query.query import Reading
from longtake.agent.query.softmax import Matrix
from longtake.bench.intervals import Share
from longtake.memory.records import Record
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.settings import Settings

FOLDS = 10
PROVENANCE = "heads.json"


class Accuracy(Record):
    """Shares of questions read right by heads that weren't fitted to them."""

    sources: Share
    targets: Share


class FittedHeads(Record):
    """The heads of one embedding: what they were fitted to, and how well they read other questions."""

    embedding: str
    examples: int
    bank: str
    fitted: str
    by_clip: Accuracy
    others: Accuracy


class ReaderReport(Record):
    """The public shape of `bench reader --json`."""

    heads: tuple[FittedHeads, ...]


def measure_reader(settings: Settings, folder: Path | None, notify: Callable[[str], None]) -> ReaderReport:
    """Cross-validate the heads of every text embedding available here.

    Args:
        settings: name the embeddings.
        folder: where to write the heads fitted to all examples; None writes nothing.
        notify: progress callback.
    """
    bank = load_bank()
    embeddings: list[TextEmbedding] = EngineTable(settings).load_each("text_embedding")
    fitted = []
    for embedding in embeddings:
        notify(f"reading {len(bank)} questions with {embedding.id}")
        questions = [example.question for example in bank]
        vectors = embedding.embed(questions)
        seen = features(questions, vectors)
        fitted.append(_cross_validated(embedding.id, bank, vectors, seen))
        if folder:
            (folder / f"{family(embedding.id)}.npz").write_bytes(packed(fit_heads(bank, seen)))
    report = ReaderReport(heads=tuple(fitted))
    if folder:
        provenance = {family(each.embedding): each.model_dump(mode="json") for each in fitted}
        (folder / PROVENANCE).write_text(json.dumps(provenance, indent=1) + "\n", encoding="utf-8")
    return report


def show_reader(report: ReaderReport) -> list[str]:
    """The report as lines to print."""
    lines = []
    for each in report.heads:
        lines.append(f"{each.embedding}, {each.examples} examples, {FOLDS} folds")
        for name, accuracy in (("wordings about left-out clips", each.by_clip), ("other examples", each.others)):
            lines.append(f"  {name:<30} sources {accuracy.sources}, targets {accuracy.targets}")
    return lines


def _cross_validated(embedding: str, bank: Sequence[Example], vectors: Matrix, seen: Matrix) -> FittedHeads:
    fold = _folds(bank)
    readings: dict[int, Reading] = {}
    for number in range(FOLDS):
        inside = np.flatnonzero(fold != number).tolist()
        heads = fit_heads([bank[row] for row in inside], seen[inside])
        outside = np.flatnonzero(fold == number).tolist()
        readings |= {row: heads.read(bank[row].question, vectors[row]) for row in outside}
    rows: dict[bool, list[int]] = {True: [], False: []}
    for row, example in enumerate(bank):
        rows[example.clip is not None].append(row)
    return FittedHeads(
        embedding=embedding,
        examples=len(bank),
        bank=digest_of(bank),
        fitted=datetime.now(UTC).date().isoformat(),
        by_clip=_accuracy(bank, readings, rows[True]),
        others=_accuracy(bank, readings, rows[False]),
    )


def _folds(bank: Sequence[Example]) -> np.ndarray:
    """The fold of every example."""
    random = np.random.default_rng(0)
    clips = sorted({example.clip for example in bank if example.clip})
    random.shuffle(clips)
    of_clip = {clip: number % FOLDS for number, clip in enumerate(clips)}
    loose = iter(random.permutation(len(bank)) % FOLDS)
    return np.array([of_clip[example.clip] if example.clip else next(loose) for example in bank])


def _accuracy(bank: Sequence[Example], readings: dict[int, Reading], rows: Sequence[int]) -> Accuracy:
    def likeliest(row: int, kind: str) -> str:
        shares: dict[str, float] = getattr(readings[row], kind)
        return max(shares, key=lambda name: shares[name])

    sources = sum(likeliest(row, "sources") in bank[row].sources for row in rows)
    targets = sum(likeliest(row, "targets") == bank[row].target for row in rows)
    return Accuracy(sources=Share.of(sources, len(rows)), targets=Share.of(targets, len(rows)))
