"""Loads the recordings that confidence is fitted to: invented transcripts and slides, questions, and what answers them.

To correct what the controller takes for an answer, add recordings to `recordings.jsonl` and fit again (`longtake bench
reading --write`).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import Field

from longtake.memory.records import Record

FILE = "recordings.jsonl"


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
def load_recordings() -> tuple[Recording, ...]:
    """All recordings, in the order of the file."""
    text = (files("longtake.benchmarks.clips") / FILE).read_text(encoding="utf-8")
    return tuple(Recording.model_validate_json(line) for line in text.splitlines())
