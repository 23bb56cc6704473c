"""Measures the extractive controller's ranking and fits the confidence of its best candidate to a run.

The run is one of `bench clips`; its traces hold how each question was read and everything found for it. A candidate is
right if its line holds the gold by the rule for closest lines (`closest`); the best one can be trusted if grading would
call it held. Figures are cross-validated: those of a clip come from weights fitted to other clips.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from langchain_core.messages import ToolMessage

from longtake.agent.controllers.extractive.candidates import Candidate, candidates_of, distinct
from longtake.agent.controllers.extractive.model import GATHERED, QUERY
from longtake.agent.controllers.extractive.ranking import (
    Weights,
    confidence,
    is_searched,
    load_weights,
    ranked,
    read_and_ranked,
    standing,
    sure_from,
)
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.query.query import Query
from longtake.agent.query.reader import LearnedReader, Matrix
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.whole_run import conversation
from longtake.benchmarks.clips.clip_questions import ClipQuestion, load_questions
from longtake.benchmarks.clips.closest import closest_hold
from longtake.benchmarks.clips.rewordings import load_wordings
from longtake.benchmarks.clips.softmax_fit import fit_softmax
from longtake.errors import ConfigError
from longtake.evalharness.scoring.grading import grade
from longtake.memory.records import Answer, Citation, Record
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.result import ToolResult

FILE = "ranking.json"
_DECAY = 0.01
_FOLDS = 10
_WRONG = 0.03  # share of questions that may be answered wrongly with confidence, in cross-validation


class RankingReport(Record):
    """The public shape of `bench ranking --json`: shares of questions, with weights fitted to other clips."""

    embedding: str
    questions: int
    clips: int
    best_right: float
    three_right: float
    answered: float
    wrong: float
    sure: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question of the run with its candidates, and which of them are right."""

    clip: str
    query: Query
    candidates: list[Candidate]
    right: Matrix
    held: Callable[[Candidate], bool]


def fit_ranking(
    workspace: Workspace,
    questions: Sequence[tuple[ClipQuestion, str]],
    folder: Path | None,
    notify: Callable[[str], None],
) -> RankingReport:
    """Fit to questions, given with the ids of the traces in which they were asked.

    Args:
        workspace: its library holds the traces.
        questions: each with its run.
        folder: where to write the weights, next to those for other embeddings; None writes nothing.
        notify: progress callback.
    """
    reader = LearnedReader(workspace.engines)
    asked = []
    for number, (question, run) in enumerate(questions, 1):
        notify(f"reading {number} of {len(questions)}")
        if (one := _asked(question, RecordedTrace(workspace.library.trace_root, run), reader)) is not None:
            asked.append(one)
    shipped = load_weights(reader.family())
    clips = sorted({each.clip for each in asked})
    np.random.default_rng(0).shuffle(clips)
    tops: list[tuple[_Asked, list[tuple[Candidate, float]], float]] = []
    for fold in range(_FOLDS):
        notify(f"fold {fold + 1} of {_FOLDS}")
        left_out = set(clips[fold::_FOLDS])
        weights = _fit([each for each in asked if each.clip not in left_out], shipped)
        for each in asked:
            if each.clip in left_out:
                order = ranked(each.query, each.candidates, weights)
                tops.append((each, order, confidence(each.query, order, weights)))
    sure = _threshold([each for each in tops if _stands(each[0].query, each[1][0][0])])
    fitted = _fit(asked, shipped).model_copy(update={"sure": sure})
    if folder:
        write_weights(folder, reader.family(), fitted)
    return _report(reader.embedding.id, tops, fitted, len(clips))


def runs_of(reports: Sequence[Path], media: Path, wordings: Path | None) -> list[tuple[ClipQuestion, str]]:
    """The questions of `bench clips --json` reports, each with the run in which it was asked.

    Raises:
        ConfigError: if a report or a question can't be read.
    """
    asked = [*load_questions(media), *(load_wordings(media, wordings) if wordings else ())]
    known = {(each.id, each.question): each for each in asked}
    found = []
    for report in reports:
        try:
            answers = json.loads(report.read_text(encoding="utf-8"))["answers"]
        except (OSError, ValueError, KeyError) as error:
            raise ConfigError(f"{report} isn't a report of `bench clips --json` ({error}).") from error
        runs = ((known.get((each["id"], each["question"])), each["trace"]) for each in answers)
        found += [(question, run) for question, run in runs if question and run]
    return found


def show_ranking(report: RankingReport) -> list[str]:
    """The report as lines to print."""
    return [
        f"{report.embedding}: {report.questions} questions about {report.clips} clips, with weights fitted to others",
        f"  best line right {report.best_right:.1%}, among the best three {report.three_right:.1%}",
        f"  answered at a confidence from {report.sure:g}: {report.answered:.1%}, wrong {report.wrong:.1%} of all",
    ]


def _asked(question: ClipQuestion, trace: RecordedTrace, reader: LearnedReader) -> _Asked | None:
    events = [event for event in trace.events() if event["type"] == "model"]
    if not events:
        return None
    messages = conversation(trace, events[-1])
    facts = {key: value for message in messages for key, value in message.additional_kwargs.items()}
    query = Query.model_validate(facts[QUERY])
    results = [ToolResult.model_validate(each.artifact) for each in messages if isinstance(each, ToolMessage)]
    found = candidates_of(query, Gathered.model_validate(facts[GATHERED]), results, reader.embed)
    candidates = [each for each, _ in read_and_ranked(query, found, load_weights(reader.family()), reader.reranker)]
    if not candidates:
        return None
    right = np.array([closest_hold(question, [each.closest]) for each in candidates], np.float32)
    return _Asked(question.media, query, candidates, right, lambda each: _held(question, each))


def _held(question: ClipQuestion, candidate: Candidate) -> bool:
    """Whether grading would call an answer held that quotes and cites the candidate."""
    answer = Answer(
        question=question.question,
        status="answered",
        answer=candidate.text,
        citations=tuple(Citation.of(item) for item in candidate.line),
    )
    timed = question.kind != "duration"
    return grade(question.answer, answer, tolerance=question.tolerance_s, cited_times=timed) == "held"


def _fit(asked: Sequence[_Asked], weights: Weights) -> Weights:
    """The weights, with those for confidence in the best candidate refitted."""
    every = ((each, ranked(each.query, each.candidates, weights)) for each in asked)
    tops = [(each, order) for each, order in every if _stands(each.query, order[0][0])]
    rows = np.array([standing(each.query, order) for each, order in tops], np.float32)
    held = np.array([each.held(order[0][0]) for each, order in tops], np.float32)
    head = fit_softmax(rows, np.stack([1 - held, held], axis=1), decay=_DECAY)
    trusts = (*(head.weights[:, 1] - head.weights[:, 0]), head.bias[1] - head.bias[0])
    return weights.model_copy(update={"on_clips": tuple(round(float(each), 4) for each in trusts)})


def _stands(query: Query, best: Candidate) -> bool:
    """Whether the confidence in a best candidate is that of what was neither read nor only searched."""
    return best.score is None and not is_searched(query, best)


def _threshold(tops: Sequence[tuple[_Asked, list[tuple[Candidate, float]], float]]) -> float:
    """The lowest confidence at which at most `_WRONG` of these questions are answered wrongly."""
    wrong = sorted((trust for each, order, trust in tops if not each.held(order[0][0])), reverse=True)
    allowed = int(_WRONG * len(tops))
    return round(wrong[allowed] + 1e-3, 3) if allowed < len(wrong) else 0.5


def _report(
    embedding: str, tops: Sequence[tuple[_Asked, list[tuple[Candidate, float]], float]], weights: Weights, clips: int
) -> RankingReport:
    count = len(tops)
    three = best = answered = wrong = 0
    for each, order, trust in tops:
        right = {id(candidate) for candidate, yes in zip(each.candidates, each.right, strict=True) if yes}
        lines = distinct(candidate for candidate, _ in order)[:3]
        best += id(order[0][0]) in right
        three += any(id(line) in right for line in lines)
        sure = trust >= sure_from(each.query, order[0][0], weights)
        answered += sure
        wrong += sure and not each.held(order[0][0])
    return RankingReport(
        embedding=embedding,
        questions=count,
        clips=clips,
        best_right=round(best / count, 4),
        three_right=round(three / count, 4),
        answered=round(answered / count, 4),
        wrong=round(wrong / count, 4),
        sure=weights.sure,
    )


def write_weights(folder: Path, family: str, weights: Weights) -> None:
    """Write the weights for a family of embeddings beside those for others."""
    file = folder / FILE
    families = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    families[family] = weights.model_dump(mode="json")
    file.write_text(json.dumps(families, indent=1) + "\n", encoding="utf-8")
