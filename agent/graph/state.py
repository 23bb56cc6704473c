"""What a thread remembers, and what one question's run remembers between steps."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Annotated

from langchain_core.messages import BaseMessage

from longtake.agent.orientation import Orientation
from longtake.memory.records import Answer, Citation, Citing, Claim, Evidence, Record


class Turn(Record):
    """One question of a thread and its answer."""

    question: str
    answer: str
    proof: Citation | None = None  # the first of its citations


class Progress(Record):
    """What a run has spent, and the guard that ended it."""

    rounds: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    checks: int = 0
    guard: str | None = None
    model_step: int | None = None  # the trace's step of the controller's last reply


@dataclass(slots=True)
class Question:
    """What the caller gives."""

    question: str
    videos: tuple[str, ...]
    options: tuple[str, ...] = ()
    turns: Annotated[list[Turn], operator.add] = field(default_factory=list)


@dataclass(slots=True)
class AgentState(Question):
    """The whole state. `turns` grows over a thread; `orient` resets everything else for each question."""

    orientation: Orientation | None = None
    messages: list[BaseMessage] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    # Video, start and end in seconds of what was looked at as a whole; a search looks at its best hits only.
    examined: list[tuple[str, float, float]] = field(default_factory=list)
    progress: Progress = field(default_factory=Progress)
    draft: str | None = None
    claims: list[Claim] = field(default_factory=list)
    citing: Citing = field(default_factory=Citing)
    answer: Answer | None = None
