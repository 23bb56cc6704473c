"""Measures reading on passages, and fits to them how far the best line that was read can be trusted.

Each line is a candidate, as if it had been found in a video. The confidence is cross-validated by passage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.passages import Passage
from longtake.agent.controllers.extractive.ranking import (
    Weights,
    as_read,
    confidence,
    load_weights,
    read_and_ranked,
)
from longtake.agent.controllers.extractive.signs import completed
from longtake.agent.query.query import Query
from longtake.agent.query.reader import LearnedReader
from longtake.agent.query.softmax import fit_softmax
from longtake.bench.clips.ranking_fit import write_weights
from longtake.bench.intervals import Share
from longtake.errors import ConfigError
from longtake.language.words import content_stems
from longtake.memory.records import Evidence, Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.packaged_files import INSTALL
from longtake.preprocess.engines.text.reranker import Reranker
from longtake.settings import Settings

FOLDS = 5
_DECAY = 1e-3
_SECONDS = 5.0  # of a line


class Found(Record):
    """How a ranking does on passages that it wasn't fitted to."""

    best: Share
    three: Share
    sure: Share
    wrong: Share


class ReadingReport(Record):
    """The public shape of `bench reading --json`: by search alone, and with reading."""

    embedding: str
    reranker: str
    passages: int
    questions: int
    searched: Found
    read: Found


Ranked = list[tuple[Candidate, float]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question about a passage with its candidates, best first, and the lines that are right."""

    passage: int
    query: Query
    ranked: Ranked
    right: tuple[int, ...]


def fit_reading(
    settings: Settings, passages: Sequence[Passage], folder: Path | None, notify: Callable[[str], None]
) -> ReadingReport:
    """Measure on passages, and fit the confidence to them.

    Args:
        settings: name the embedding and the reranker.
        passages: at least as many as folds.
        folder: where to write the weights; None writes nothing.
        notify: progress callback.

    Raises:
        ConfigError: if there is no reranker.
    """
    reader = LearnedReader(EngineTable(settings))
    if reader.reranker is None:
        raise ConfigError(f"Nothing here reads passages: {INSTALL}")
    shipped = load_weights(reader.family())
    searched, asked = list[_Asked](), list[_Asked]()
    for number, passage in enumerate(passages):
        notify(f"reading passage {number + 1} of {len(passages)}")
        searched += _asked_about(number, passage, reader, shipped, None)
        asked += _asked_about(number, passage, reader, shipped, reader.reranker)
    trusted = []
    for fold in range(FOLDS):
        weights = _trusting([each for each in asked if each.passage % FOLDS != fold], shipped)
        trusted += [(each, weights) for each in asked if each.passage % FOLDS == fold]
    if folder:
        write_weights(folder, reader.family(), _trusting(asked, shipped))
    return ReadingReport(
        embedding=reader.embedding.id,
        reranker=reader.reranker.id,
        passages=len(passages),
        questions=len(asked),
        searched=_found([(each, shipped) for each in searched]),
        read=_found(trusted),
    )


def show_reading(report: ReadingReport) -> list[str]:
    """The report as lines to print."""
    lines = [
        f"{report.embedding}, {report.reranker}: {report.questions} questions about {report.passages} passages, "
        f"{FOLDS} folds"
    ]
    for name, found in (("by search", report.searched), ("with reading", report.read)):
        lines.append(f"  {name:<15} best line right {found.best}, among three {found.three}")
        lines.append(f"  {'':<15} sure and right {found.sure}, sure and wrong {found.wrong}")
    return lines


def _asked_about(
    number: int, passage: Passage, reader: LearnedReader, weights: Weights, reranker: Reranker | None
) -> Iterator[_Asked]:
    """The questions about a passage."""
    lines = [line.text for line in passage.lines]
    texts = [*lines, *(each.question for each in passage.questions)]
    vector_of = dict(zip(texts, reader.embed(texts), strict=True))
    for asked in passage.questions:
        query = Query(
            question=asked.question,
            reading=reader.read(asked.question),
            words=tuple(content_stems(asked.question)),
            videos={"passage": _SECONDS * len(lines)},
            coverage={"speech": 1.0, "scene_text": 1.0},
        )
        candidates = [
            _candidate(passage, place, float(vector_of[line.text] @ vector_of[asked.question]))
            for place, line in enumerate(passage.lines)
        ]
        found = read_and_ranked(query, candidates, weights, reranker)
        yield _Asked(number, query, [(completed(query, line), chance) for line, chance in found], asked.answers)


def _candidate(passage: Passage, place: int, cosine: float) -> Candidate:
    """A line of a passage; speech goes on from the line before it, and after it, if those are spoken too."""

    def spoken(*places: int) -> tuple[Evidence, ...]:
        there = [each for each in places if 0 <= each < len(passage.lines)]
        return tuple(_evidence(passage, each) for each in there if passage.lines[each].kind == "speech")

    evidence = _evidence(passage, place)
    said = passage.lines[place].kind == "speech"
    before, after = (spoken(place - 1), spoken(place + 1)) if said else ((), ())
    return Candidate(evidence, (evidence,), cosine, before=before, after=after)


def _evidence(passage: Passage, place: int) -> Evidence:
    line = passage.lines[place]
    return Evidence(
        video="passage",
        span=TimeSpan(start=_SECONDS * place, end=_SECONDS * (place + 1)),
        modality="speech" if line.kind == "speech" else "scene_text",
        content=line.text,
        engine="passage",
    )


def _trusting(asked: Sequence[_Asked], weights: Weights) -> Weights:
    """The weights, with those for confidence in a line that was read refitted."""
    tops = [each for each in asked if each.ranked[0][0].score is not None]
    rows = np.array([as_read(each.query, each.ranked) for each in tops], np.float32)
    right = np.array([_is_right(each, each.ranked[0][0]) for each in tops], np.float32)
    head = fit_softmax(rows, np.stack([1 - right, right], axis=1), decay=_DECAY)
    trusts = (*(head.weights[:, 1] - head.weights[:, 0]), head.bias[1] - head.bias[0])
    return weights.model_copy(update={"as_read": tuple(round(float(each), 4) for each in trusts)})


def _found(asked: Sequence[tuple[_Asked, Weights]]) -> Found:
    answerable = best = three = right = wrong = 0
    for each, weights in asked:
        first = _is_right(each, each.ranked[0][0])
        answerable += bool(each.right)
        best += first
        three += any(_is_right(each, line) for line, _ in each.ranked[:3])
        certain = confidence(each.query, each.ranked, weights) >= weights.sure
        right += certain and first
        wrong += certain and not first
    return Found(
        best=Share.of(best, answerable),
        three=Share.of(three, answerable),
        sure=Share.of(right, answerable),
        wrong=Share.of(wrong, len(asked)),
    )


def _is_right(each: _Asked, candidate: Candidate) -> bool:
    return any(round(part.span.start / _SECONDS) in each.right for part in candidate.line)
