"""Loads the passages: invented lines of recordings, questions about them, and which lines state what is asked.

To correct what the controller takes for an answer, add passages to `passages.jsonl` and fit again (`longtake bench
reading --write`).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import Field

from longtake.memory.records import Record

FILE = "passages.jsonl"


class PassageLine(Record):
    """A line that is said or shown."""

    text: str
    kind: Literal["speech", "text"]


class PassageQuestion(Record):
    """A question about a passage."""

    question: str
    answers: tuple[int, ...] = Field(description="The lines that each state what is asked; none if no line does.")


class Passage(Record):
    """Lines of one recording, in order, and questions about them."""

    lines: tuple[PassageLine, ...]
    questions: tuple[PassageQuestion, ...]


@cache
def load_passages() -> tuple[Passage, ...]:
    """All passages, in the order of the file."""
    text = (files("longtake.agent.controllers.extractive") / FILE).read_text(encoding="utf-8")
    return tuple(Passage.model_validate_json(line) for line in text.splitlines())
