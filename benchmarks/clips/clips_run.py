"""Runs and grades the questions of a folder of open clips: development figures of one subject and one run."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from pydantic import Field

from longtake.agent.graph.agent import Agent
from longtake.benchmarks.clips.clip_questions import ClipQuestion, load_questions
from longtake.benchmarks.clips.closest import closest_hold
from longtake.benchmarks.reports import Media, Notify, Report, Share
from longtake.console import Session
from longtake.errors import LongtakeError
from longtake.evalharness.scoring.grading import GRADES, Grade, grade
from longtake.memory.records import Answer, Record
from longtake.preprocess.pipeline.workspace import Workspace

Wordings = Annotated[
    Path | None, typer.Option(help="JSONL of rewordings (id of a question, variant, question); only these are asked.")
]


class GradedAnswer(Record):
    """A question, its answer and the outcome; whether it is uncertain and its closest lines together hold the gold."""

    question: ClipQuestion
    answer: Answer
    outcome: Grade
    closest_hold: bool

    @classmethod
    def of(cls, question: ClipQuestion, answer: Answer) -> GradedAnswer:
        """Grade an answer."""
        held = answer.status == "uncertain" and closest_hold(question, answer.closest)
        return cls(question=question, answer=answer, outcome=outcome_of(question, answer), closest_hold=held)

    def __str__(self) -> str:
        asked, name = self.question, self.question.id
        name = name if asked.variant is None else f"{name} wording {asked.variant}"
        said = " ".join(self.answer.answer.split()) or self.answer.error
        return f"{self.outcome} {name} ({asked.media}): {asked.question}\n  gold    {asked.answer}\n  answer  {said}"


class Tally(Record):
    """Outcomes of some questions; `wrong` means wrong with confidence, and `among_closest` is a part of `uncertain`."""

    n: int
    held: Share
    wrong: Share
    others: dict[Grade, int]
    among_closest: int

    @classmethod
    def of(cls, graded: Sequence[GradedAnswer]) -> Tally:
        """Count the outcomes."""
        made, n = Counter(item.outcome for item in graded), len(graded)
        return cls(
            n=n,
            held=Share.of(made["held"], n),
            wrong=Share.of(made["wrong"], n),
            others={name: made[name] for name in GRADES if name not in ("held", "wrong")},
            among_closest=sum(item.closest_hold for item in graded),
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
        return [*super().lines(), "", *(str(each) for each in self.answers if each.outcome in ("wrong", "failed"))]


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
            graded.append(GradedAnswer.of(question, ask(agent, media, question)))
    settings = session.settings.controller
    return ClipsReport(
        controller=settings.model or settings.engine,
        clips=len(clips),
        by_modality={"all": Tally.of(graded), **_by(graded, lambda question: question.modality)},
        by_kind=_by(graded, lambda question: question.kind),
        answers=tuple(graded),
    )


def _by(graded: Sequence[GradedAnswer], name_of: Callable[[ClipQuestion], str]) -> dict[str, Tally]:
    """A tally for each name of a question."""
    names = sorted({name_of(item.question) for item in graded})
    return {name: Tally.of([item for item in graded if name_of(item.question) == name]) for name in names}


def ask(agent: Agent, folder: Path, question: ClipQuestion) -> Answer:
    """The answer to a question about a clip in a folder; one that says why, if it can't be asked."""
    try:
        return agent.ask([str(folder / question.media)], question.question, options=question.options)
    except LongtakeError as error:
        return Answer(question=question.question, status="failed", answer="", error=str(error))


def outcome_of(question: ClipQuestion, answer: Answer) -> Grade:
    """How an answer is graded."""
    return grade(question.answer, answer, tolerance=question.tolerance_s, cited_times=question.cited_times)
