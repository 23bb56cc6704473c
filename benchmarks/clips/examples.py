"""Loads what the agent's constants are fitted to: labelled questions, and questions about invented recordings.

To correct a misreading, add lines to `bank.jsonl` and fit again (`longtake bench reader --write`); to correct what the
controller takes for an answer, add recordings to `recordings.jsonl` (`longtake bench reading --write`).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, TypeVar

from pydantic import Field

from longtake.agent.query.query import Source, Target
from longtake.memory.records import Record

T = TypeVar("T", bound=Record)


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
def load_bank() -> tuple[Example, ...]:
    """All labelled questions, in the order of the file."""
    return _load(Example, "bank.jsonl")


@cache
def load_recordings() -> tuple[Recording, ...]:
    """All recordings, in the order of the file."""
    return _load(Recording, "recordings.jsonl")


def _load(kind: type[T], name: str) -> tuple[T, ...]:
    text = (files("longtake.benchmarks.clips") / name).read_text(encoding="utf-8")
    return tuple(kind.model_validate_json(line) for line in text.splitlines())
