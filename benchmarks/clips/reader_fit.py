"""Refits the heads that read questions, and cross-validates them in ten folds."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from longtake.agent.query.query import SOURCES, TARGETS, Reading
from longtake.agent.query.reader import Heads, Matrix, Softmax, family, features
from longtake.benchmarks.clips.bank import Example, load_bank
from longtake.benchmarks.clips.softmax_fit import fit_softmax
from longtake.benchmarks.intervals import Share
from longtake.memory.records import Record
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.settings import Settings

FOLDS = 10
PROVENANCE = "heads.json"
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
            (folder / f"{family(embedding.id)}.npz").write_bytes(_packed(fit_heads(bank, seen)))
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
        lines.append(f"  sources {each.sources}, targets {each.targets}")
    return lines


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
