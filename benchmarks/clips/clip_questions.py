"""Reads the questions about a folder of open clips.

The folder holds the clips and `questions.jsonl`, one JSON object a line:

    id           name of the question
    media        path of the clip, relative to the folder
    question     the question
    answer       the gold, written as `longtake.evalharness.scoring.grading` reads it
    evidence     [start, end] in seconds: where the clip shows it
    modality     what answering takes: ocr, subtitle, speech, audio, visual, ...
    kind         what is asked: on_screen_text, timecode, temporal_localization, duration, ...
    tolerance_s  optional: seconds that a time may be off, 1 by default
    variant      optional: which wording of the question this is, a number or text

Other keys are ignored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from longtake.benchmarks.clips.labelled_lines import parse_line, read_lines
from longtake.errors import ConfigError, MediaError
from longtake.evalharness.scoring.grading import DEFAULT_TOLERANCE
from longtake.memory.timespan import TimeSpan

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
    variant: int | str | None = None


def load_questions(folder: Path, modalities: Collection[str] = ()) -> list[ClipQuestion]:
    """Read the questions of a folder, of some modalities or all, and check that their clips exist.

    Raises:
        MediaError: if the folder, its questions or a clip is missing.
        ConfigError: if a line isn't a question, or no question has a requested modality.
    """
    questions = of_modalities(all_questions(folder), modalities, folder / QUESTIONS)
    check_clips(folder, questions)
    return questions


def all_questions(folder: Path) -> list[ClipQuestion]:
    """Read every question of a folder, whether its clip exists or not.

    Raises:
        MediaError: if the questions can't be read.
        ConfigError: if a line isn't a question.
    """
    file = folder / QUESTIONS
    lines = read_lines(file, "give --media a folder that holds it")
    return [parse_line(ClipQuestion, "a question", where, line) for where, line in lines]


def of_modalities(questions: Sequence[ClipQuestion], modalities: Collection[str], file: Path) -> list[ClipQuestion]:
    """The questions of these modalities, or all if none is given.

    Raises:
        ConfigError: if the file has no questions, or none of a requested modality.
    """
    known = sorted({question.modality for question in questions})
    unknown = sorted(set(modalities) - set(known))
    if unknown or not questions:
        missing = f"no question of modality {', '.join(unknown)}" if unknown else "no question"
        raise ConfigError(f"{file} has {missing}; it has: {', '.join(known) or 'nothing'}.")
    return [question for question in questions if not modalities or question.modality in modalities]


def check_clips(folder: Path, questions: Iterable[ClipQuestion]) -> None:
    """Raise `MediaError` when the clip of a question is missing."""
    for question in questions:
        if not (folder / question.media).is_file():
            raise MediaError(f"{folder / question.media} is missing; question {question.id} is about it.")
