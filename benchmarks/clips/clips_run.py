"""Runs and grades the questions of a folder of open clips: development figures of one subject and one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

from longtake.agent.graph.agent import Agent
from longtake.agent.query.reader import LearnedReader, Reader
from longtake.benchmarks.clips.clip_questions import ClipQuestion
from longtake.benchmarks.clips.clips_answers import GradedAnswer, Line, named
from longtake.benchmarks.clips.clips_report import ClipsReport, Tally
from longtake.benchmarks.clips.clips_sources import by_source, reads_right
from longtake.benchmarks.clips.closest import closest_hold, moments_about, something_in_scope
from longtake.benchmarks.clips.failure_analysis import what_was_needed
from longtake.errors import LongtakeError
from longtake.evalharness.scoring.grading import grade
from longtake.memory.records import Answer, Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace


def run_clips(
    workspace: Workspace, folder: Path, questions: Sequence[ClipQuestion], notify: Callable[[str], None]
) -> ClipsReport:
    """Index every clip, ask every question once and grade the answers; `notify` is the progress callback.

    Raises:
        ConfigError: if the settings name no embedding to read questions with.
    """
    agent = Agent(workspace)
    clips = sorted({question.media for question in questions})
    for number, clip in enumerate(clips, 1):
        notify(f"indexing {number} of {len(clips)}: {clip}")
        try:
            workspace.add(folder / clip)
        except LongtakeError as error:
            notify(str(error))  # its questions fail, and are counted as failed
    graded = _graded(workspace, folder, questions, agent, notify)
    settings = workspace.settings.controller
    return ClipsReport(
        controller=settings.model or settings.engine,
        clips=len(clips),
        total=Tally.of(graded),
        by_modality=_by([item.modality for item in graded], graded),
        by_kind=_by([item.kind for item in graded], graded),
        by_source=by_source(graded),
        answers=tuple(graded),
    )


def _by(names: Sequence[str], graded: Sequence[GradedAnswer]) -> dict[str, Tally]:
    """A tally for each name; `names` are those of the answers, in their order."""
    return {
        name: Tally.of([item for own, item in zip(names, graded, strict=True) if own == name])
        for name in sorted(set(names))
    }


def _graded(
    workspace: Workspace,
    folder: Path,
    questions: Sequence[ClipQuestion],
    agent: Agent,
    notify: Callable[[str], None],
) -> list[GradedAnswer]:
    """The answers in the order of the questions; asked clip by clip, so that its moments are read once."""
    reader = LearnedReader(workspace.engines)
    graded: dict[int, GradedAnswer] = {}
    places = sorted(range(len(questions)), key=lambda place: questions[place].media)
    for clip, own in groupby(places, key=lambda place: questions[place].media):
        moments = moments_about(workspace, folder / clip)
        for place in own:
            question = questions[place]
            notify(f"asking {len(graded) + 1} of {len(questions)}: {named(question.id, question.variant)}")
            answer = _ask(agent, folder, question)
            graded[place] = _grade(question, answer, workspace, reader, moments)
    return [graded[place] for place in range(len(questions))]


def _ask(agent: Agent, folder: Path, question: ClipQuestion) -> Answer:
    try:
        return agent.ask([str(folder / question.media)], question.question)
    except LongtakeError as error:
        return Answer(question=question.question, status="failed", answer="", error=str(error))


def _grade(
    question: ClipQuestion, answer: Answer, workspace: Workspace, reader: Reader, moments: Sequence[Moment]
) -> GradedAnswer:
    cited = [TimeSpan(start=citation.start, end=citation.end) for citation in answer.citations]
    outcome = grade(question.answer, answer, tolerance=question.tolerance_s, cited_times=question.kind != "duration")
    return GradedAnswer(
        id=question.id,
        variant=question.variant,
        media=question.media,
        modality=question.modality,
        kind=question.kind,
        question=question.question,
        gold=question.answer,
        outcome=outcome,
        status=answer.status,
        answer=answer.answer,
        closest=tuple(map(Line.of, answer.closest)),
        closest_hold=answer.status == "uncertain" and closest_hold(question, answer.closest),
        in_scope=something_in_scope(question, moments),
        sources_right=reads_right(reader, question.question, question.modality),
        evidence_hit=any(span.overlaps(question.evidence) for span in cited),
        needed=None if outcome in ("held", "failed") else what_was_needed(question, answer, workspace),
        rounds=answer.usage.rounds,
        tool_calls=answer.usage.tool_calls,
        seconds=round(answer.usage.seconds, 3),
        trace=answer.trace,
        error=answer.error,
    )
