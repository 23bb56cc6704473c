"""Reads the questions about a folder of open clips, and rewordings of them.

The folder holds the clips and `questions.jsonl`, one JSON object a line:

    id           name of the question
    media        path of the clip, relative to the folder
    question     the question
    answer       the gold, written as `longtake.evalharness.scoring.grading` reads it
    evidence     [start, end] in seconds: where the clip shows it
    modality     what answering takes: ocr, subtitle, speech, audio, visual, ...
    kind         what is asked: on_screen_text, timecode, temporal_localization, duration, ...
    tolerance_s  optional: seconds that a time may be off, 1 by default

A file of rewordings has `id`, `variant` (which rewording this is, a number or text) and `question` on each line; all
else comes from the question. Other keys are ignored.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from longtake.errors import ConfigError, MediaError
from longtake.evalharness.scoring.grading import DEFAULT_TOLERANCE
from longtake.memory.timespan import TimeSpan

QUESTIONS = "questions.jsonl"
T = TypeVar("T", bound=BaseModel)


def _span(bounds: Any) -> Any:
    return dict(zip(("start", "end"), bounds, strict=False)) if isinstance(bounds, list) else bounds


class ClipQuestion(BaseModel):
    """One line of `questions.jsonl`, perhaps reworded."""

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

    @property
    def cited_times(self) -> bool:
        """Whether the time of a cited line may answer it: a duration must be stated."""
        return self.kind != "duration"


class _Wording(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    variant: int | str
    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def load_questions(folder: Path, wordings: Path | None = None) -> list[ClipQuestion]:
    """Read the questions of a folder, or only its rewordings in a file, and check that their clips exist.

    Raises:
        MediaError: if a file or a clip is missing.
        ConfigError: if there is no question, or a line isn't one.
    """
    questions = [each for _, each in _read(ClipQuestion, folder / QUESTIONS)]
    if wordings:
        known = {question.id: question for question in questions}
        questions = []
        for where, wording in _read(_Wording, wordings):
            if wording.id not in known:
                raise ConfigError(f"{where} rewords {wording.id!r}, which isn't in {folder / QUESTIONS}.")
            changes = wording.model_dump(include={"question", "variant"})
            questions.append(known[wording.id].model_copy(update=changes))
    if not questions:
        raise ConfigError(f"{wordings or folder / QUESTIONS} has no question.")
    for question in questions:
        if not (folder / question.media).is_file():
            raise MediaError(f"{folder / question.media} is missing; question {question.id} is about it.")
    return questions


def _read(kind: type[T], file: Path) -> list[tuple[str, T]]:
    """The records in the lines of a file, each after its place."""
    try:
        # Not splitlines, which also splits at characters that a JSON string may contain.
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise MediaError(f"{file} cannot be read ({error}); name a file or folder that holds questions.") from error
    read = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                read.append((f"{file}, line {number}", kind.model_validate_json(line)))
            except ValidationError as error:
                first = error.errors()[0]
                key = ".".join(map(str, first["loc"])) or "the line"
                raise ConfigError(f"{file}, line {number} isn't a question: {key}: {first['msg']}.") from error
    return read
