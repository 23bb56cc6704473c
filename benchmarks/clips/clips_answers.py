"""The graded answer to each question of `bench clips`."""

from __future__ import annotations

from pydantic import Field

from longtake.benchmarks.clips.failure_analysis import Needed
from longtake.evalharness.scoring.grading import Grade
from longtake.memory.records import Closest, Modality, Record, Status


class Line(Record):
    """One of the closest lines of an uncertain answer."""

    text: str
    start: float
    end: float
    modality: Modality

    @classmethod
    def of(cls, line: Closest) -> Line:
        """Without its video, which is the question's."""
        return cls(text=line.text, start=line.start, end=line.end, modality=line.modality)


class GradedAnswer(Record):
    """A question, its answer and the outcome."""

    id: str
    variant: int | str | None = Field(description="Which rewording was asked; null for the question itself.")
    media: str
    modality: str
    kind: str
    question: str
    gold: str
    outcome: Grade
    status: Status
    answer: str
    closest: tuple[Line, ...]
    closest_hold: bool = Field(description="Whether it is uncertain and its closest lines together hold the gold.")
    in_scope: bool = Field(description="Whether the library has something of the gold's modality where it is shown.")
    sources_right: bool = Field(description="Whether the likeliest source fits the gold's modality.")
    evidence_hit: bool = Field(description="Whether a citation shares a moment with the gold's evidence.")
    needed: Needed | None = Field(description="What it was lacking; null if it was answered right or failed.")
    rounds: int
    tool_calls: int
    seconds: float
    trace: str | None
    error: str | None

    @property
    def name(self) -> str:
        """The question's id, and which rewording was asked."""
        return named(self.id, self.variant)


def named(question: str, variant: int | str | None) -> str:
    """A question's id and rewording, to print."""
    return question if variant is None else f"{question} wording {variant}"
