"""Loads the bank: questions in many people's words, each labelled with its sources and target.

To correct a misreading, add lines to `bank.jsonl` and fit again (`longtake bench reader --write`).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from longtake.agent.query.query import Source, Target
from longtake.memory.records import Record

FILE = "bank.jsonl"


class Example(Record):
    """One labelled question, and how many wordings like it it stands for."""

    question: str
    sources: tuple[Source, ...]
    target: Target
    times: int = 1


@cache
def load_bank() -> tuple[Example, ...]:
    """All examples, in the order of the file."""
    text = (files("longtake.benchmarks.clips") / FILE).read_text(encoding="utf-8")
    return tuple(Example.model_validate_json(line) for line in text.splitlines())
