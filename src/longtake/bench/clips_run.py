"""Answers on a folder of open clips, graded: the development figures, one subject, one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from longtake.agent.ask import Asker
from longtake.errors import LongtakeError
from longtake.evalharness.bench.clips import ClipQuestion
from longtake.evalharness.bench.clips_report import ClipsReport, GradedAnswer, Tally
from longtake.evalharness.bench.needed import what_was_needed
from longtake.evalharness.grading import grade
from longtake.memory.records import Answer
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.workspace import Workspace


def run_clips(
    workspace: Workspace, folder: Path, questions: Sequence[ClipQuestion], tell: Callable[[str], None]
) -> ClipsReport:
    """Index every clip, put every question once and grade the answers; `tell` is told what is being done."""
    asker = Asker(workspace)
    clips = sorted({question.media for question in questions})
    for number, clip in enumerate(clips, 1):
        tell(f"indexing {number} of {len(clips)}: {clip}")
        try:
            workspace.add(folder / clip)
        except LongtakeError as error:
            tell(str(error))  # its questions fail, and are counted as failed
    graded = []
    for number, question in enumerate(questions, 1):
        tell(f"asking {number} of {len(questions)}: {question.id}")
        graded.append(_grade(question, _ask(asker, folder, question), workspace))
    settings = workspace.settings.controller
    return ClipsReport(
        controller=settings.model or settings.engine,
        clips=len(clips),
        total=Tally.of(graded),
        by_modality=_by([item.modality for item in graded], graded),
        by_kind=_by([item.kind for item in graded], graded),
        answers=tuple(graded),
    )


def _by(names: Sequence[str], graded: Sequence[GradedAnswer]) -> dict[str, Tally]:
    """A tally for each of the names, which stand beside the answers they are of."""
    return {
        name: Tally.of([item for own, item in zip(names, graded, strict=True) if own == name])
        for name in sorted(set(names))
    }


def _ask(asker: Asker, folder: Path, question: ClipQuestion) -> Answer:
    try:
        return asker.ask([str(folder / question.media)], question.question)
    except LongtakeError as error:
        return Answer(question=question.question, status="failed", answer="", error=str(error))


def _grade(question: ClipQuestion, answer: Answer, workspace: Workspace) -> GradedAnswer:
    cited = [TimeSpan(start=citation.start, end=citation.end) for citation in answer.citations]
    outcome = grade(question.answer, answer, tolerance=question.tolerance_s, cited_times=question.kind != "duration")
    return GradedAnswer(
        id=question.id,
        media=question.media,
        modality=question.modality,
        kind=question.kind,
        question=question.question,
        gold=question.answer,
        outcome=outcome,
        answer=answer.answer,
        evidence_hit=any(span.overlaps(question.evidence) for span in cited),
        needed=None if outcome in ("held", "failed") else what_was_needed(question, answer, workspace),
        rounds=answer.usage.rounds,
        tool_calls=answer.usage.tool_calls,
        seconds=round(answer.usage.seconds, 3),
        trace=answer.trace,
        error=answer.error,
    )
