"""Fits how far the extractive controller's best candidate can be trusted, to runs of `bench clips` and to recordings.

A question's candidates are those that a run found, as its trace holds them, or all lines of a recording. Confidence is
cross-validated: that of a clip or recording comes from weights fitted to others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer
from langchain_core.messages import ToolMessage

from longtake.agent.controllers.extractive.candidates import Candidate, candidates_of
from longtake.agent.controllers.extractive.model import GATHERED, QUERY
from longtake.agent.controllers.extractive.ranking import (
    SCORES,
    as_read,
    confidence,
    is_searched,
    read_and_ranked,
    standing,
    sure_from,
)
from longtake.agent.fitted import Weights, load_weights, rewrite
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.gathering.text_lines import Lines
from longtake.agent.query.query import Query
from longtake.agent.query.reader import LearnedReader
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.whole_run import conversation
from longtake.benchmarks.clips.clip_questions import ClipQuestion
from longtake.benchmarks.clips.clips_run import GradedAnswer, outcome_of
from longtake.benchmarks.clips.closest import closest_hold
from longtake.benchmarks.clips.examples import Recording, RecordingLine, load_recordings
from longtake.benchmarks.clips.softmax_fit import fit_softmax
from longtake.benchmarks.reports import Notify, Report, Share
from longtake.console import Session
from longtake.errors import ConfigError
from longtake.language.words import TELLING, content_stems
from longtake.memory.records import Answer, Citation, Moment, Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.packaged_files import INSTALL
from longtake.preprocess.engines.text.text_engines import Reranker
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.result import ToolResult

Fitted = Literal["on_clips", "as_searched", "as_read"]  # weights, whose limit is beside them
_DECAYS: Mapping[Fitted, float] = {"on_clips": 1e-2, "as_searched": 1e-3, "as_read": 1e-3}
_LIMITS: Mapping[Fitted, str] = {
    "on_clips": "sure",
    "as_searched": "sure_as_searched",
    "as_read": "sure_as_read",
}
_CLIP_FOLDS, _FOLDS, _FIFTHS = 10, 5, 5
_WRONG = 0.03  # share of questions that may be answered wrong with confidence, in cross-validation
_MISSED = 0.02  # share of questions of whose answer no line may be near
_FOREIGN = 6  # questions about another recording, which this one doesn't answer
_ABOVE = 1e-4  # the next confidence

Write = Annotated[Path | None, typer.Option(help="Write the weights to this folder: agent.")]


class Found(Record):
    """How candidates do, with confidence from weights that were fitted to others.

    `right_by_confidence` is the share of right best lines in each fifth of the confidence, from the lowest.
    """

    best: Share
    sure_and_right: Share
    sure_and_wrong: Share
    right_by_confidence: tuple[Share, ...]


class FitReport(Report):
    """By what was fitted, over so many questions about so many clips or recordings."""

    embedding: str
    questions: int
    about: int
    found: dict[Fitted, Found]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with its candidates, best first, about a clip or recording that may not answer it."""

    about: str
    query: Query
    ranked: list[tuple[Candidate, float]]
    right: Callable[[Candidate], bool]  # whether its line tells what is asked
    held: Callable[[Candidate], bool]  # whether an answer that quotes it is right
    answerable: bool = True

    @property
    def best(self) -> Candidate:
        return self.ranked[0][0]


_Trusted = list[tuple[_Asked, float]]  # with the confidence in the best candidate


def fit_ranking(
    session: Session,
    notify: Notify,
    report: Annotated[list[Path], typer.Option(help="Output of `bench clips --json` in this library; repeatable.")],
    write: Write = None,
) -> FitReport:
    """Fit the extractive controller's confidence to runs of `bench clips`, cross-validated by clip."""
    workspace = Workspace(session.library_root, session.settings)
    reader = LearnedReader(workspace.engines)
    shipped = load_weights(reader.family())
    asked = []
    graded = [each for file in report for each in _answers(file) if each.answer.trace]
    for number, each in enumerate(graded, 1):
        notify(f"reading {number} of {len(graded)}")
        trace = RecordedTrace(workspace.library.trace_root, each.answer.trace or "")
        if (one := _asked_in(trace, each.question, reader, shipped)) is not None:
            asked.append(one)
    if not asked:
        raise ConfigError("No run of these reports found anything for a question: ask again with `bench clips`.")
    clips = sorted({each.about for each in asked})
    np.random.default_rng(0).shuffle(clips)
    fold_of = {clip: number % _CLIP_FOLDS for number, clip in enumerate(clips)}
    return _fit(reader, {"on_clips": (asked, [])}, fold_of, shipped, write)


def fit_reading(session: Session, notify: Notify, write: Write = None) -> FitReport:
    """Ask about recordings by search alone and with reading, and fit the confidence in what was read again."""
    reader = LearnedReader(EngineTable(session.settings))
    if reader.reranker is None:
        raise ConfigError(f"Nothing here reads lines: {INSTALL}")
    shipped, recordings = load_weights(reader.family()), load_recordings()
    searched, asked, foreign = list[_Asked](), list[_Asked](), list[_Asked]()
    for number, recording in enumerate(recordings):
        notify(f"reading {number + 1} of {len(recordings)}: {recording.name}")
        searched += _asked_about(recording, reader, shipped, None)
        asked += _asked_about(recording, reader, shipped, reader.reranker)
        others = [each.model_copy(update={"answers": ()}) for each in recordings[number - 1].questions[:_FOREIGN]]
        foreign += _asked_about(recording.model_copy(update={"questions": others}), reader, shipped, reader.reranker)
    cosines = [max(one.cosine for one, _ in each.ranked) for each in asked if each.answerable and each.query.words]
    shipped = shipped.model_copy(update={"near": round(float(np.quantile(cosines, _MISSED)), 3)})
    fold_of = {recording.name: number % _FOLDS for number, recording in enumerate(recordings)}
    return _fit(reader, {"as_searched": (searched, []), "as_read": (asked, foreign)}, fold_of, shipped, write)


def _fit(
    reader: LearnedReader,
    asked: Mapping[Fitted, tuple[list[_Asked], list[_Asked]]],
    fold_of: Mapping[str, int],
    shipped: Weights,
    folder: Path | None,
) -> FitReport:
    """Fit weights to questions, each time to some that are measured and more that aren't, and write them if wanted."""
    fitted, found = shipped, dict[Fitted, Found]()
    for name, (own, more) in asked.items():
        trusted: _Trusted = []
        for fold in range(max(fold_of.values()) + 1):
            weights = _trusting(name, [each for each in (*own, *more) if fold_of[each.about] != fold], shipped)
            left_out = [each for each in own if fold_of[each.about] == fold]
            trusted += [(each, confidence(each.query, each.ranked, weights)) for each in left_out]
        counted = [(each, trust) for each, trust in trusted if name != "on_clips" or _stands(each)]
        fitted = _trusting(name, [*own, *more], fitted).model_copy(update={_LIMITS[name]: _sure(counted)})
        found[name] = _found(trusted, fitted)
    if folder:
        rewrite(folder, reader.family(), fitted.model_dump(mode="json"))
    questions = max(len(own) for own, _ in asked.values())
    return FitReport(embedding=reader.embedding.id, questions=questions, about=len(fold_of), found=found)


def _trusting(name: Fitted, asked: Sequence[_Asked], weights: Weights) -> Weights:
    """The weights, with those of a name refitted to the questions whose confidence they give."""
    rows, held = [], []
    for each in asked:
        if name == "on_clips" and _stands(each):
            rows.append(standing(each.query, each.ranked))
        elif name == "as_searched":
            rows.append(as_read(each.query, each.ranked)[SCORES:])
        elif name == "as_read" and each.best.score is not None:
            rows.append(as_read(each.query, each.ranked))
        else:
            continue
        held.append(each.held(each.best))
    right = np.array(held, np.float32)
    head = fit_softmax(np.array(rows, np.float32), np.stack([1 - right, right], axis=1), decay=_DECAYS[name])
    trusts = (*(head.weights[:, 1] - head.weights[:, 0]), head.bias[1] - head.bias[0])
    return weights.model_copy(update={name: tuple(round(float(each), 4) for each in trusts)})


def _stands(each: _Asked) -> bool:
    """Whether the confidence in the best candidate is that of what was neither read nor only searched."""
    return each.best.score is None and not is_searched(each.query, each.best)


def _sure(trusted: _Trusted) -> float:
    """The lowest confidence from which few enough of these questions are answered wrong."""
    wrong = sorted((trust for each, trust in trusted if not each.held(each.best)), reverse=True)
    allowed = int(_WRONG * len(trusted))
    return round(wrong[allowed] + _ABOVE, 4) if allowed < len(wrong) else 0.5


def _found(trusted: _Trusted, weights: Weights) -> Found:
    answerable = [each for each, _ in trusted if each.answerable]
    sure = [each.held(each.best) for each, trust in trusted if trust >= sure_from(each.query, each.best, weights)]
    fifths: list[list[bool]] = [[] for _ in range(_FIFTHS)]
    for each, trust in trusted:
        fifths[min(_FIFTHS - 1, int(trust * _FIFTHS))].append(each.right(each.best))
    return Found(
        best=Share.of(sum(each.right(each.best) for each in answerable), len(answerable)),
        sure_and_right=Share.of(sum(sure), len(answerable)),
        sure_and_wrong=Share.of(len(sure) - sum(sure), len(trusted)),
        right_by_confidence=tuple(Share.of(sum(each), len(each)) for each in fifths),
    )


def _answers(report: Path) -> list[GradedAnswer]:
    try:
        return [GradedAnswer.model_validate(each) for each in json.loads(report.read_bytes())["answers"]]
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{report} isn't a report of `bench clips --json` ({error}).") from error


def _asked_in(trace: RecordedTrace, question: ClipQuestion, reader: LearnedReader, weights: Weights) -> _Asked | None:
    """A question with what its run found for it; None if that is nothing."""
    events = [event for event in trace.events() if event["type"] == "model"]
    if not events:
        return None
    messages = conversation(trace, events[-1])
    facts = {key: value for message in messages for key, value in message.additional_kwargs.items()}
    query = Query.model_validate(facts[QUERY])
    results = [ToolResult.model_validate(each.artifact) for each in messages if isinstance(each, ToolMessage)]
    found = candidates_of(query, Gathered.model_validate(facts[GATHERED]), results, reader.embed)
    ranked = read_and_ranked(query, found, weights, reader.reranker)

    def held(candidate: Candidate) -> bool:
        citations = tuple(Citation.of(item) for item in candidate.line)
        answer = Answer(question=question.question, status="answered", answer=candidate.text, citations=citations)
        return outcome_of(question, answer) == "held"

    def right(candidate: Candidate) -> bool:
        return closest_hold(question, [candidate.closest])

    return _Asked(question.media, query, ranked, right, held) if ranked else None


def _asked_about(
    recording: Recording, reader: LearnedReader, weights: Weights, reranker: Reranker | None
) -> Iterator[_Asked]:
    """The questions about a recording; each line is a candidate, as if it had been found in a video."""
    moments = [_moment(recording.name, line, place) for place, line in enumerate(recording.lines)]
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
                evidence=item, line=lines.line_of(item), cosine=float(vector_of[item.text] @ vector_of[asked.question])
            )
            for item in moments
        ]
        telling = frozenset(moments[place].id for place in asked.answers)

        def right(candidate: Candidate, telling: frozenset[str] = telling) -> bool:
            return any(part.id in telling for part in candidate.line)

        ranked = read_and_ranked(query, candidates, weights, reranker)
        yield _Asked(recording.name, query, ranked, right, right, bool(telling))


def _moment(name: str, line: RecordingLine, place: int) -> Moment:
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
