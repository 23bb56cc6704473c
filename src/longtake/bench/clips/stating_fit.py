"""Fits the model of which line states what a question asks, and cross-validates it by passage.

With it, the weight that its scores have in the ranking, and the confidence in the best line, are fitted to the same
passages: each line is a candidate, as if it had been found in a video.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.passages import Passage
from longtake.agent.controllers.extractive.ranking import (
    FEATURES,
    STANDING,
    Weights,
    confidence,
    judged,
    load_weights,
    ranked,
    standing,
    stated,
)
from longtake.agent.controllers.extractive.signs import completed
from longtake.agent.controllers.extractive.stating import Stating, packed, pair_features, shares_of
from longtake.agent.query.query import Query
from longtake.agent.query.reader import LearnedReader
from longtake.agent.query.softmax import Matrix, Slopes, descended, fit_softmax
from longtake.bench.clips.ranking_fit import write_weights
from longtake.bench.intervals import Share
from longtake.language.words import content_stems
from longtake.memory.records import Evidence, Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.settings import Settings

FOLDS = 5
_DECAY, _TRUST_DECAY = 5e-4, 1e-3
_STATES = FEATURES.index("states what is asked")
_STEPS = tuple(round(0.25 * step, 2) for step in range(13))  # weights of the scores in the ranking that are tried
_UNSEEN = ("is heard", "is seen")  # no passage has such a line
_SECONDS = 5.0  # of a line


class Found(Record):
    """How a ranking does on passages that it wasn't fitted to."""

    best: Share
    three: Share
    sure: Share
    wrong: Share


class StatingReport(Record):
    """The public shape of `bench stating --json`: without and with the model, at the same share of wrong answers."""

    embedding: str
    passages: int
    questions: int
    without: Found
    judged: Found
    weight: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, the lines of its passage as candidates, the pairs' features and which lines are right."""

    passage: int
    query: Query
    candidates: list[Candidate]
    rows: Matrix
    right: tuple[int, ...]


def fit_stating(
    settings: Settings, passages: Sequence[Passage], folder: Path | None, notify: Callable[[str], None]
) -> StatingReport:
    """Fit to passages.

    Args:
        settings: name the embedding.
        passages: at least as many as folds.
        folder: where to write the model and the weights; None writes nothing.
        notify: progress callback.
    """
    reader = LearnedReader(EngineTable(settings))
    asked: list[_Asked] = []
    for number, passage in enumerate(passages):
        notify(f"reading passage {number + 1} of {len(passages)}")
        asked += _asked_about(number, passage, reader)
    shipped = load_weights(reader.family())
    scored: list[tuple[_Asked, Matrix]] = []
    for fold in range(FOLDS):
        notify(f"fold {fold + 1} of {FOLDS}")
        stating = _fit([each for each in asked if each.passage % FOLDS != fold])
        scored += [(each, stating.scores(each.rows)) for each in asked if each.passage % FOLDS == fold]
    judged_ones = [(each, _judged(each, scores, shipped)) for each, scores in scored]
    weight = max(_STEPS, key=lambda step: _best_right(judged_ones, _with_step(shipped, step)))
    weights = _trusting(judged_ones, _with_step(shipped, weight))
    report = StatingReport(
        embedding=reader.embedding.id,
        passages=len(passages),
        questions=len(asked),
        without=_found([(each, each.candidates) for each in asked], shipped, shipped.sure),
        judged=_found(judged_ones, weights, shipped.sure),
        weight=weight,
    )
    if folder:
        (folder / f"stating-{reader.family()}.npz").write_bytes(packed(_fit(asked)))
        write_weights(folder, reader.family(), weights)
    return report


def show_stating(report: StatingReport) -> list[str]:
    """The report as lines to print."""
    lines = [f"{report.embedding}: {report.questions} questions about {report.passages} passages, {FOLDS} folds"]
    for name, found in (("without", report.without), ("with the model", report.judged)):
        lines.append(f"  {name:<15} best line right {found.best}, among three {found.three}")
        lines.append(f"  {'':<15} sure and right {found.sure}, sure and wrong {found.wrong}")
    return [*lines, f"  weight of the scores in the ranking: {report.weight:g}"]


def _asked_about(number: int, passage: Passage, reader: LearnedReader) -> Iterator[_Asked]:
    """The questions about a passage."""
    lines = [line.text for line in passage.lines]
    texts = [*lines, *(each.question for each in passage.questions)]
    vector_of = dict(zip(texts, reader.embed(texts), strict=True))
    tokens_of = dict(zip(texts, reader.embed_tokens(texts), strict=True))
    for asked in passage.questions:
        query = Query(
            question=asked.question,
            reading=reader.read(asked.question),
            words=tuple(content_stems(asked.question)),
            videos={"passage": _SECONDS * len(lines)},
            coverage={"speech": 1.0, "scene_text": 1.0},
        )
        rows = pair_features(query.question, query.reading, lines, lambda known: [tokens_of[text] for text in known])
        candidates = [
            _candidate(passage, place, float(vector_of[line.text] @ vector_of[asked.question]))
            for place, line in enumerate(passage.lines)
        ]
        yield _Asked(number, query, candidates, rows, asked.answers)


def _candidate(passage: Passage, place: int, cosine: float) -> Candidate:
    """A line of a passage; speech goes on after it if the next line is spoken too."""
    spoken = all(line.kind == "speech" for line in passage.lines[place : place + 2])
    after = tuple(_evidence(passage, each) for each in range(place + 1, len(passage.lines))[:1]) if spoken else ()
    evidence = _evidence(passage, place)
    return Candidate(evidence, (evidence,), cosine, after=after)


def _evidence(passage: Passage, place: int) -> Evidence:
    line = passage.lines[place]
    return Evidence(
        video="passage",
        span=TimeSpan(start=_SECONDS * place, end=_SECONDS * (place + 1)),
        modality="speech" if line.kind == "speech" else "scene_text",
        content=line.text,
        engine="passage",
    )


def _fit(asked: Sequence[_Asked]) -> Stating:
    """The conditional logit of each question's lines and of none of them, by maximum likelihood."""
    longest = max(len(each.rows) for each in asked)
    rows = np.zeros((len(asked), longest, asked[0].rows.shape[1]), np.float32)
    there = np.zeros((len(asked), longest), bool)
    truth = np.zeros((len(asked), longest), np.float32)
    for number, each in enumerate(asked):
        rows[number, : len(each.rows)] = each.rows
        there[number, : len(each.rows)] = True
        truth[number, list(each.right)] = 1 / max(1, len(each.right))

    def slopes(parameters: Sequence[Matrix]) -> Slopes:
        weights, bias = parameters
        scores = np.where(there, rows @ weights + bias, -np.inf)
        shares = np.array([shares_of(each) for each in scores])
        missed = (shares - truth) / len(asked)
        return [np.tensordot(missed, rows, 2) + _DECAY * weights, np.array([missed.sum()], np.float32)]

    weights, bias = descended([np.zeros(rows.shape[2], np.float32), np.zeros(1, np.float32)], slopes)
    return Stating(weights, float(bias[0]))


def _judged(each: _Asked, scores: Matrix, weights: Weights) -> list[Candidate]:
    score_of = {stated(candidate): score for candidate, score in zip(each.candidates, scores, strict=True)}
    return judged(
        each.query, each.candidates, weights, lambda _, lines: np.array([score_of[line] for line in lines], np.float32)
    )


def _with_step(weights: Weights, step: float) -> Weights:
    ranks = list(weights.ranks)
    ranks[_STATES] = step
    return weights.model_copy(update={"ranks": tuple(ranks)})


def _order(each: _Asked, candidates: Sequence[Candidate], weights: Weights) -> list[tuple[Candidate, float]]:
    """The candidates as the controller quotes them, best first."""
    return [(completed(each.query, line), chance) for line, chance in ranked(each.query, candidates, weights)]


def _best_right(asked: Sequence[tuple[_Asked, list[Candidate]]], weights: Weights) -> float:
    """Share of the questions with an answer whose best line is right."""
    answerable = [(each, candidates) for each, candidates in asked if each.right]
    return sum(_is_right(each, _order(each, candidates, weights)[0][0]) for each, candidates in answerable) / len(
        answerable
    )


def _trusting(asked: Sequence[tuple[_Asked, list[Candidate]]], weights: Weights) -> Weights:
    """The weights, with those for confidence in a judged line refitted."""
    orders = [(each, _order(each, candidates, weights)) for each, candidates in asked]
    tops = [(each, order) for each, order in orders if order[0][0].share is not None]
    rows = np.array([standing(each.query, order) for each, order in tops], np.float32)
    right = np.array([_is_right(each, order[0][0]) for each, order in tops], np.float32)
    head = fit_softmax(rows, np.stack([1 - right, right], axis=1), decay=_TRUST_DECAY)
    trusts = [*(head.weights[:, 1] - head.weights[:, 0]), head.bias[1] - head.bias[0]]
    for name in _UNSEEN:
        trusts[STANDING.index(name)] = weights.on_clips[STANDING.index(name)]
    return weights.model_copy(update={"on_passages": tuple(round(float(each), 4) for each in trusts)})


def _found(asked: Sequence[tuple[_Asked, list[Candidate]]], weights: Weights, sure: float) -> Found:
    answerable = best = three = right = wrong = 0
    for each, candidates in asked:
        order = _order(each, candidates, weights)
        first = _is_right(each, order[0][0])
        answerable += bool(each.right)
        best += first
        three += any(_is_right(each, line) for line, _ in order[:3])
        certain = confidence(each.query, order, weights) >= sure
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
