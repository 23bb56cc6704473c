"""Loads what the agent's constants are fitted to: labelled questions, and questions about invented recordings.

To correct a misreading, add lines to `bank.jsonl` and fit again (`longtake bench reader --write`); to correct what the
controller takes for an answer, add recordings to `recordings.jsonl` (`longtake bench reading --write`).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, Field

from longtake.agent.query.query import Source, Target
from longtake.errors import ConfigError
from longtake.evalharness.runs.journal import read_records
from longtake.memory.records import Record

_HERE = Path(__file__).parent
T = TypeVar("T", bound=BaseModel)


class Example(Record):
    """One labelled question, and how many wordings like it it stands for."""

    question: str
    sources: tuple[Source, ...]
    target: Target
    times: int = 1


class RecordingLine(Record):
    """A line that is said or shown, and its seconds."""

    start: float
    end: float
    text: str
    kind: Literal["speech", "text"]


class RecordingQuestion(Record):
    """A question about a recording."""

    question: str
    answers: tuple[int, ...] = Field(description="The lines that state what is asked; none if the recording doesn't.")


class Recording(Record):
    """The lines of one recording, what is said before what is shown, and questions about them."""

    name: str
    lines: tuple[RecordingLine, ...]
    questions: tuple[RecordingQuestion, ...]


@cache
def load_bank() -> list[Example]:
    """All labelled questions, in the order of the file."""
    return read_lines(_HERE / "bank.jsonl", Example)


@cache
def load_recordings() -> list[Recording]:
    """All recordings, in the order of the file."""
    return read_lines(_HERE / "recordings.jsonl", Recording)


def read_lines(file: Path, kind: type[T]) -> list[T]:
    """The records of a JSONL file.

    Raises:
        ConfigError: if there are none, or a line isn't one.
    """

    def refuse(fault: str) -> None:
        raise ConfigError(fault.replace("; it was left out", ""))

    records = list(read_records(file, kind, refuse, by_hand=True))
    if not records:
        raise ConfigError(f"{file} is missing or empty: name a file or folder that holds questions.")
    return records
