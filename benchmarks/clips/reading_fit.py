"""Measures reading on recordings, and fits to them how far the best line that was read can be trusted.

Each line is a candidate, as if it had been found in a video. The confidence is cross-validated by recording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.ranking import (
    SCORES,
    Weights,
    as_read,
    confidence,
    load_weights,
    read_and_ranked,
)
from longtake.agent.gathering.text_lines import Lines
from longtake.agent.query.query import Query
from longtake.agent.query.reader import LearnedReader
from longtake.benchmarks.clips.ranking_fit import write_weights
from longtake.benchmarks.clips.recordings import Recording, RecordingLine
from longtake.benchmarks.clips.softmax_fit import fit_softmax
from longtake.benchmarks.intervals import Share
from longtake.errors import ConfigError
from longtake.language.words import TELLING, content_stems
from longtake.memory.records import Moment, Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.packaged_files import INSTALL
from longtake.preprocess.engines.text.reranker import Reranker
from longtake.settings import Settings

FOLDS = FIFTHS = 5
_DECAY = 1e-3
_WRONG = 0.03  # share of all questions that may be answered wrong
_FOREIGN = 6  # questions about another recording, which this one doesn't answer
_ABOVE = 1e-4  # the next confidence


class Found(Record):
    """How a ranking does on recordings that it wasn't fitted to.

    `right_by_confidence` is the share of right best lines in each fifth of the confidence, from the lowest.
    """

    best: Share
    three: Share
    sure: Share
    wrong: Share
    right_by_confidence: tuple[Share, ...]


class ReadingReport(Record):
    """The public shape of `bench reading --json`: by search alone, and with reading."""

    embedding: str
    reranker: str
    recordings: int
    questions: int
    searched: Found
    read: Found


Ranked = list[tuple[Candidate, float]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question about a recording with its candidates, best first, and the moments that are right."""

    recording: str
    query: Query
    ranked: Ranked
    right: frozenset[str]


def fit_reading(
    settings: Settings, recordings: Sequence[Recording], folder: Path | None, notify: Callable[[str], None]
) -> ReadingReport:
    """Measure on recordings, and fit the confidence to them, also to questions about other things.

    Args:
        settings: name the embedding and the reranker.
        recordings: at least as many as folds.
        folder: where to write the weights; None writes nothing.
        notify: progress callback.

    Raises:
        ConfigError: if there is no reranker.
    """
    reader = LearnedReader(EngineTable(settings))
    if reader.reranker is None:
        raise ConfigError(f"Nothing here reads lines: {INSTALL}")
    shipped = load_weights(reader.family())
    searched, asked, foreign = list[_Asked](), list[_Asked](), list[_Asked]()
    for number, recording in enumerate(recordings):
        notify(f"reading {number + 1} of {len(recordings)}: {recording.name}")
        searched += _asked_about(recording, reader, shipped, None)
        asked += _asked_about(recording, reader, shipped, reader.reranker)
        others = [each.model_copy(update={"answers": ()}) for each in recordings[number - 1].questions[:_FOREIGN]]
        foreign += _asked_about(recording.model_copy(update={"questions": others}), reader, shipped, reader.reranker)
    fold_of = {recording.name: number % FOLDS for number, recording in enumerate(recordings)}
    trusted: dict[str, list[tuple[_Asked, float]]] = {"as_searched": [], "as_read": []}
    fitted = shipped
    for name, own, more in (("as_searched", searched, list[_Asked]()), ("as_read", asked, foreign)):
        for fold in range(FOLDS):
            weights = _trusting(name, [each for each in (*own, *more) if fold_of[each.recording] != fold], shipped)
            left_out = [each for each in own if fold_of[each.recording] == fold]
            trusted[name] += [(each, confidence(each.query, each.ranked, weights)) for each in left_out]
        fitted = _trusting(name, [*own, *more], fitted).model_copy(update={f"sure_{name}": _sure(trusted[name])})
    if folder:
        write_weights(folder, reader.family(), fitted)
    return ReadingReport(
        embedding=reader.embedding.id,
        reranker=reader.reranker.id,
        recordings=len(recordings),
        questions=len(asked),
        searched=_found(trusted["as_searched"], fitted.sure_as_searched),
        read=_found(trusted["as_read"], fitted.sure_as_read),
    )


def show_reading(report: ReadingReport) -> list[str]:
    """The report as lines to print."""
    lines = [
        f"{report.embedding}, {report.reranker}: {report.questions} questions about {report.recordings} recordings, "
        f"{FOLDS} folds"
    ]
    for name, found in (("by search", report.searched), ("with reading", report.read)):
        lines.append(f"  {name:<15} best line right {found.best}, among three {found.three}")
        lines.append(f"  {'':<15} sure and right {found.sure}, sure and wrong {found.wrong}")
        fifths = enumerate(found.right_by_confidence)
        told = (f"{place / FIFTHS:.1f}-{(place + 1) / FIFTHS:.1f} {share}" for place, share in fifths)
        lines.append(f"  {'':<15} right by confidence: {', '.join(told)}")
    return lines


def _asked_about(
    recording: Recording, reader: LearnedReader, weights: Weights, reranker: Reranker | None
) -> Iterator[_Asked]:
    """The questions about a recording."""
    moments = [_evidence(recording.name, line, place) for place, line in enumerate(recording.lines)]
    lines = Lines(moments)
    texts = [*(item.text for item in moments), *(each.question for each in recording.questions)]
    vector_of = dict(zip(texts, reader.embed(texts), strict=True))
    for asked in recording.questions:
        query = Query(
            question=asked.question,
            reading=reader.read(asked.question),
            words=tuple(word for word in content_stems(asked.question) if word not in TELLING),
            videos={recording.name: max(line.end for line in recording.lines)},
            coverage={"speech": 1.0, "scene_text": 1.0},
        )
        candidates = [
            Candidate(
                evidence=item,
                line=lines.line_of(item),
                cosine=float(vector_of[item.text] @ vector_of[asked.question]),
            )
            for item in moments
        ]
        ranked = read_and_ranked(query, candidates, weights, reranker)
        yield _Asked(recording.name, query, ranked, frozenset(moments[place].id for place in asked.answers))


def _evidence(name: str, line: RecordingLine, place: int) -> Moment:
    """A line as the index has it; those of a slide stand below each other."""
    row = None if line.kind == "speech" else (0.1, 0.1 * (place % 9), 0.8, 0.05)
    return Moment(
        video=name,
        span=TimeSpan(start=line.start, end=line.end),
        modality="speech" if line.kind == "speech" else "scene_text",
        text=line.text,
        engine="recording",
        box=row,
    )


def _trusting(name: str, asked: Sequence[_Asked], weights: Weights) -> Weights:
    """The weights, with those of a name, for confidence in a line that was read or only searched, refitted."""
    skipped = SCORES if name == "as_searched" else 0
    tops = [each for each in asked if skipped or each.ranked[0][0].score is not None]
    rows = np.array([as_read(each.query, each.ranked)[skipped:] for each in tops], np.float32)
    right = np.array([_is_right(each, each.ranked[0][0]) for each in tops], np.float32)
    head = fit_softmax(rows, np.stack([1 - right, right], axis=1), decay=_DECAY)
    trusts = (*(head.weights[:, 1] - head.weights[:, 0]), head.bias[1] - head.bias[0])
    return weights.model_copy(update={name: tuple(round(float(each), 4) for each in trusts)})


def _sure(trusted: Sequence[tuple[_Asked, float]]) -> float:
    """The lowest confidence from which few enough of all questions are answered wrong."""
    wrong = sorted((trust for each, trust in trusted if not _is_right(each, each.ranked[0][0])), reverse=True)
    return round(wrong[int(_WRONG * len(trusted))] + _ABOVE, 4)


def _found(asked: Sequence[tuple[_Asked, float]], sure: float) -> Found:
    answerable = best = three = right = wrong = 0
    fifths = [[0, 0] for _ in range(FIFTHS)]
    for each, trust in asked:
        first = _is_right(each, each.ranked[0][0])
        answerable += bool(each.right)
        best += first
        three += any(_is_right(each, line) for line, _ in each.ranked[:3])
        certain = trust >= sure
        right += certain and first
        wrong += certain and not first
        fifth = fifths[min(FIFTHS - 1, int(trust * FIFTHS))]
        fifth[0] += first
        fifth[1] += 1
    return Found(
        best=Share.of(best, answerable),
        three=Share.of(three, answerable),
        sure=Share.of(right, answerable),
        wrong=Share.of(wrong, len(asked)),
        right_by_confidence=tuple(Share.of(*each) for each in fifths),
    )


def _is_right(each: _Asked, candidate: Candidate) -> bool:
    return any(part.id in each.right for part in candidate.line)
