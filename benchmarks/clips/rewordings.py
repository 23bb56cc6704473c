"""Reads rewordings of the questions about a folder of clips.

The file has one JSON object per line; other keys are ignored:

    id        the question's id in the folder's `questions.jsonl`
    variant   which of its rewordings this is, a number or text
    question  the rewording

Gold, evidence and everything else come from the question.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from longtake.benchmarks.clips.clip_questions import QUESTIONS, ClipQuestion, all_questions, check_clips, of_modalities
from longtake.benchmarks.clips.labelled_lines import parse_line, read_lines
from longtake.errors import ConfigError


class Wording(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    variant: int | str
    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def load_wordings(folder: Path, file: Path, modalities: Collection[str] = ()) -> list[ClipQuestion]:
    """The questions of a folder as a file rewords them, in the file's order; checks that their clips exist.

    Raises:
        MediaError: if the file, the folder's questions or a clip is missing.
        ConfigError: if a line isn't a rewording, rewords an unknown question, or none has a requested modality.
    """
    known = {question.id: question for question in all_questions(folder)}
    reworded = []
    for where, line in read_lines(file, "give --wordings a file of rewordings"):
        wording = parse_line(Wording, "a rewording", where, line)
        question = known.get(wording.id)
        if question is None:
            raise ConfigError(f"{where} rewords {wording.id!r}, which isn't in {folder / QUESTIONS}.")
        reworded.append(question.model_copy(update={"question": wording.question, "variant": wording.variant}))
    chosen = of_modalities(reworded, modalities, file)
    check_clips(folder, chosen)
    return chosen
