"""Runs and grades the questions of a folder of open clips: development figures of one subject and one run."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from pydantic import Field

from longtake.agent.graph.agent import Agent
from longtake.benchmarks.clips.clip_questions import ClipQuestion, load_questions
from longtake.benchmarks.clips.closest import closest_hold
from longtake.benchmarks.reports import Notify, Report, Share
from longtake.cli.options import Media
from longtake.console import Session
from longtake.errors import LongtakeError
from longtake.evalharness.scoring.grading import Grade, grade
from longtake.memory.records import Answer, Record, Status
from longtake.preprocess.pipeline.workspace import Workspace

Wordings = Annotated[
    Path | None, typer.Option(help="JSONL of rewordings (id of a question, variant, question); only these are asked.")
]


class GradedAnswer(Record):
    """A question, its answer and the outcome."""

    id: str
    variant: int | str | None = Field(description="Which rewording was asked; null for the question itself.")
    media: str
    modality: str
    kind: str
    question: str
    gold: str
    outcome: Grade
    status: Status
    answer: str
    closest: tuple[str, ...]
    closest_hold: bool = Field(description="Whether it is uncertain and its closest lines together hold the gold.")
    rounds: int
    tool_calls: int
    seconds: float
    trace: str | None
    error: str | None


class Tally(Record):
    """Outcomes of some questions; `wrong` means wrong with confidence, and `among_closest` is a part of `uncertain`."""

    n: int
    held: Share
    wrong: Share
    uncertain: int
    among_closest: int
    partial: int
    abstained: int
    failed: int

    @classmethod
    def of(cls, graded: Sequence[GradedAnswer]) -> Tally:
        """Count the outcomes."""
        made, n = [item.outcome for item in graded], len(graded)
        return cls(
            n=n,
            held=Share.of(made.count("held"), n),
            wrong=Share.of(made.count("wrong"), n),
            uncertain=made.count("uncertain"),
            among_closest=sum(item.closest_hold for item in graded),
            partial=made.count("partial"),
            abstained=made.count("abstained"),
            failed=made.count("failed"),
        )


class ClipsReport(Report):
    """Tallies by modality and kind, and every answer."""

    controller: str
    clips: int
    by_modality: dict[str, Tally]
    by_kind: dict[str, Tally]
    answers: tuple[GradedAnswer, ...] = Field(repr=False)

    def lines(self) -> list[str]:
        """The tallies, and the questions that were answered wrong or failed."""
        missed = [
            f"{each.outcome} {each.id} {'' if each.variant is None else f'wording {each.variant} '}({each.media}): "
            f"{each.question}\n  gold    {each.gold}\n  answer  {' '.join(each.answer.split()) or each.error}"
            for each in self.answers
            if each.outcome in ("wrong", "failed")
        ]
        return [*super().lines(), "", *missed]


def run_clips(session: Session, notify: Notify, media: Media, wordings: Wordings = None) -> ClipsReport:
    """Index the clips of a folder, ask its questions once and grade the answers; a wrong answer isn't a failure."""
    questions = load_questions(media, wordings)
    clips = sorted({question.media for question in questions})
    kept = nullcontext(session.library_root) if session.library else tempfile.TemporaryDirectory(prefix="longtake-")
    with kept as root:
        workspace = Workspace(Path(root), session.settings)
        agent = Agent(workspace)
        for number, clip in enumerate(clips, 1):
            notify(f"indexing {number} of {len(clips)}: {clip}")
            try:
                workspace.add(media / clip)
            except LongtakeError as error:
                notify(str(error))  # its questions fail, and are counted as failed
        graded = []
        for number, question in enumerate(questions, 1):
            notify(f"asking {number} of {len(questions)}: {question.id}")
            graded.append(_graded(question, _ask(agent, media, question)))
    settings = session.settings.controller
    return ClipsReport(
        controller=settings.model or settings.engine,
        clips=len(clips),
        by_modality={"all": Tally.of(graded), **_by([item.modality for item in graded], graded)},
        by_kind=_by([item.kind for item in graded], graded),
        answers=tuple(graded),
    )


def _by(names: Sequence[str], graded: Sequence[GradedAnswer]) -> dict[str, Tally]:
    """A tally for each name; `names` are those of the answers, in their order."""
    return {
        name: Tally.of([item for own, item in zip(names, graded, strict=True) if own == name])
        for name in sorted(set(names))
    }


def _ask(agent: Agent, folder: Path, question: ClipQuestion) -> Answer:
    try:
        return agent.ask([str(folder / question.media)], question.question)
    except LongtakeError as error:
        return Answer(question=question.question, status="failed", answer="", error=str(error))


def _graded(question: ClipQuestion, answer: Answer) -> GradedAnswer:
    return GradedAnswer(
        **question.model_dump(include={"id", "variant", "media", "modality", "kind", "question"}),
        gold=question.answer,
        outcome=grade(question.answer, answer, tolerance=question.tolerance_s, cited_times=question.cited_times),
        status=answer.status,
        answer=answer.answer,
        closest=tuple(line.text for line in answer.closest),
        closest_hold=answer.status == "uncertain" and closest_hold(question, answer.closest),
        rounds=answer.usage.rounds,
        tool_calls=answer.usage.tool_calls,
        seconds=round(answer.usage.seconds, 3),
        trace=answer.trace,
        error=answer.error,
    )
