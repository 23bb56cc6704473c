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
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from longtake.benchmarks.clips.examples import read_lines
from longtake.errors import ConfigError, MediaError
from longtake.evalharness.scoring.grading import DEFAULT_TOLERANCE
from longtake.memory.timespan import TimeSpan

QUESTIONS = "questions.jsonl"


def _span(bounds: Any) -> Any:
    return dict(zip(("start", "end"), bounds, strict=False)) if isinstance(bounds, list) else bounds


class ClipQuestion(BaseModel):
    """One line of `questions.jsonl`, perhaps reworded."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    media: str
    question: str
    options: tuple[str, ...] = ()
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
    id: str
    variant: int | str
    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def load_questions(folder: Path, wordings: Path | None = None) -> list[ClipQuestion]:
    """Read the questions of a folder, or only its rewordings in a file, and check that their clips exist.

    Raises:
        ConfigError: if there is no question, or a line isn't one.
        MediaError: if a clip is missing.
    """
    questions = read_lines(folder / QUESTIONS, ClipQuestion)
    if wordings:
        known = {question.id: question for question in questions}
        questions = []
        for wording in read_lines(wordings, _Wording):
            if wording.id not in known:
                raise ConfigError(f"{wordings} rewords {wording.id!r}, which isn't in {folder / QUESTIONS}.")
            questions.append(known[wording.id].model_copy(update=wording.model_dump()))
    for question in questions:
        if not (folder / question.media).is_file():
            raise MediaError(f"{folder / question.media} is missing; question {question.id} is about it.")
    return questions
