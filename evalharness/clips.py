"""Answers on a folder of open clips, graded: the development figures, one subject, one run.

The folder holds the clips and `questions.jsonl`, one JSON object a line:

    id           name of the question
    media        path of the clip, relative to the folder
    question     what is asked
    answer       the gold, written as `longtake.evalharness.grading` reads it
    evidence     [start, end] in seconds: where the clip shows it
    modality     what it takes to answer: ocr, subtitle, speech, audio, visual, ...
    kind         what is asked for: on_screen_text, timecode, temporal_localization, duration, ...
    tolerance_s  optional: seconds that a time may be off, 1 by default

Other keys are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from longtake.agent.ask import Asker
from longtake.errors import ConfigError, LongtakeError, MediaError
from longtake.evalharness.grading import DEFAULT_TOLERANCE, OUTCOMES, Outcome, grade
from longtake.evalharness.intervals import Share
from longtake.memory.records import Answer, Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.workspace import Workspace

QUESTIONS = "questions.jsonl"


def _span(bounds: Any) -> Any:
    return dict(zip(("start", "end"), bounds, strict=False)) if isinstance(bounds, list) else bounds


class ClipQuestion(BaseModel):
    """One line of `questions.jsonl`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    media: str
    question: str
    answer: str
    evidence: Annotated[TimeSpan, BeforeValidator(_span)]
    modality: str
    kind: str
    tolerance_s: float = Field(default=DEFAULT_TOLERANCE, ge=0)


class GradedAnswer(Record):
    """A question, what was answered, and what became of it."""

    id: str
    media: str
    modality: str
    kind: str
    question: str
    gold: str
    outcome: Outcome
    answer: str
    evidence_hit: bool = Field(description="Whether a citation shares a moment with the gold's evidence.")
    seconds: float
    trace: str | None
    error: str | None


class Tally(Record):
    """Counts of one group of questions, each with its Wilson 95 % interval."""

    n: int
    outcomes: dict[Outcome, Share]
    evidence_hit: Share = Field(description="Of those answered, held or wrong.")

    @classmethod
    def of(cls, graded: Sequence[GradedAnswer]) -> Tally:
        """Count the outcomes of some questions."""
        counts: dict[Outcome, int] = {name: sum(item.outcome == name for item in graded) for name in OUTCOMES}
        hits = [item.evidence_hit for item in graded if item.outcome in ("held", "wrong")]
        return cls(
            n=len(graded),
            outcomes={name: Share.of(count, len(graded)) for name, count in counts.items()},
            evidence_hit=Share.of(sum(hits), len(hits)),
        )


class ClipsReport(Record):
    """The public shape of `bench clips --json`."""

    controller: str
    clips: int
    total: Tally
    by_modality: dict[str, Tally]
    answers: tuple[GradedAnswer, ...]


def load_questions(folder: Path, modalities: Collection[str] = ()) -> list[ClipQuestion]:
    """Read the questions of a folder, of some modalities or of all, and see that their clips are there.

    Raises:
        MediaError: when the folder, its questions or a clip is missing.
        ConfigError: when a line is not a question, or no question has a wanted modality.
    """
    file = folder / QUESTIONS
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise MediaError(f"{file} cannot be read: {error.strerror}; give --media a folder that holds it.") from error
    questions = [_parse(line, f"{file}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    known = sorted({question.modality for question in questions})
    unknown = sorted(set(modalities) - set(known))
    if unknown or not questions:
        asked = f"no question of modality {', '.join(unknown)}" if unknown else "no question"
        raise ConfigError(f"{file} has {asked}; it has: {', '.join(known) or 'nothing'}.")
    wanted = [question for question in questions if not modalities or question.modality in modalities]
    for question in wanted:
        if not (folder / question.media).is_file():
            raise MediaError(f"{folder / question.media} is missing, which question {question.id} is about; add it.")
    return wanted


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
        graded.append(_grade(question, _ask(asker, folder, question)))
    modalities = sorted({question.modality for question in questions})
    settings = workspace.settings.controller
    return ClipsReport(
        controller=settings.model or settings.engine,
        clips=len(clips),
        total=Tally.of(graded),
        by_modality={name: Tally.of([item for item in graded if item.modality == name]) for name in modalities},
        answers=tuple(graded),
    )


def show_clips(report: ClipsReport) -> list[str]:
    """The report for a person, with the answers that were wrong or failed."""
    lines = [
        f"controller {report.controller}, {report.clips} clips, {report.total.n} questions, each asked once",
        "shares with Wilson 95 % intervals",
    ]
    modalities = report.by_modality if len(report.by_modality) > 1 else {}
    for name, tally in {"all": report.total, **modalities}.items():
        lines.append(f"{name} (n={tally.n})")
        lines += [f"  {outcome:<13} {share}" for outcome, share in tally.outcomes.items()]
        lines.append(f"  {'evidence hit':<13} {tally.evidence_hit}")
    for item in report.answers:
        if item.outcome in ("wrong", "failed"):
            lines += [f"\n{item.outcome} {item.id} ({item.media})", f"  ? {item.question}", f"  gold    {item.gold}"]
            lines.append(f"  answer  {' '.join(item.answer.split()) or item.error}")
    return lines


def _parse(line: str, where: str) -> ClipQuestion:
    try:
        return ClipQuestion.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "the line"
        raise ConfigError(f"{where} is not a question: {key}: {first['msg']}.") from error


def _ask(asker: Asker, folder: Path, question: ClipQuestion) -> Answer:
    try:
        return asker.ask([str(folder / question.media)], question.question)
    except LongtakeError as error:
        return Answer(question=question.question, status="failed", answer="", error=str(error))


def _grade(question: ClipQuestion, answer: Answer) -> GradedAnswer:
    cited = [TimeSpan(start=citation.start, end=citation.end) for citation in answer.citations]
    return GradedAnswer(
        id=question.id,
        media=question.media,
        modality=question.modality,
        kind=question.kind,
        question=question.question,
        gold=question.answer,
        outcome=grade(question.answer, answer, tolerance=question.tolerance_s, cited_times=question.kind != "duration"),
        answer=answer.answer,
        evidence_hit=any(span.overlaps(question.evidence) for span in cited),
        seconds=round(answer.usage.seconds, 3),
        trace=answer.trace,
        error=answer.error,
    )
