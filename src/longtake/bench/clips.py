"""Questions about a folder of open clips.

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

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from longtake.errors import ConfigError, MediaError
from longtake.evalharness.grading import DEFAULT_TOLERANCE
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


def _parse(line: str, where: str) -> ClipQuestion:
    try:
        return ClipQuestion.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "the line"
        raise ConfigError(f"{where} is not a question: {key}: {first['msg']}.") from error
