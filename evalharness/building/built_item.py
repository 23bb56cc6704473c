"""An item as it is built: a conversation about one video, which each stage knows more of."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from longtake.evalharness.items import ToolCall
from longtake.evalharness.suites.longshot import WEIGHTS
from longtake.memory.records import Record
from longtake.memory.timespan import TimeSpan

Modality = Literal["visual", "audio", "speech"]
Role = Literal["opener", "deepener", "challenger", "synthesizer"]
Priority = Literal["high_priority", "medium_priority", "low_priority", "penalty"]
PENALTY: Priority = "penalty"


class BuiltCriterion(Record):
    """A line of a rubric; a penalty is worded as a prohibition."""

    name: str
    description: str
    category: Priority


class BuiltTurn(Record):
    """A question; later with its answer, the segments that show it, its rubric and the tool calls that find it."""

    question: str
    difficulty: int
    modalities: tuple[Modality, ...]
    role: Role | None = None
    answer: str = ""
    segments: tuple[int, ...] = Field(default=(), description="Numbers of segments of the video, from 0.")
    spans: tuple[TimeSpan, ...] = Field(default=(), description="Where these segments are.")
    evidence: tuple[str, ...] = Field(default=(), description="What the index has of them.")
    blind: bool = Field(default=False, description="Whether the model was right without the video.")
    criteria: tuple[BuiltCriterion, ...] = ()
    calls: tuple[ToolCall, ...] = ()


class BuiltItem(Record):
    """A conversation about one video."""

    id: str
    video: str = Field(description="Name of the file, without its suffix.")
    path: str
    duration: float
    scenario: str
    scenario_id: str
    task: str
    task_id: str
    turns: tuple[BuiltTurn, ...]

    def with_turns(self, turns: Sequence[BuiltTurn]) -> BuiltItem:
        """The item with other turns."""
        return self.model_copy(update={"turns": tuple(turns)})

    @property
    def hash(self) -> str:
        """What a person saw of it: another item of the same id is another one to check."""
        shown = "".join(turn.model_dump_json(include={"question", "answer", "criteria"}) for turn in self.turns)
        return hashlib.blake2b(shown.encode(), digest_size=6).hexdigest()

    def row(self, *, with_calls: bool = False) -> dict[str, Any]:
        """The item as a line of LongShOTBench; with its gold calls, a line of the agentic track."""
        said = [message for turn in self.turns for message in _messages(turn, with_calls=with_calls)]
        row: dict[str, Any] = {
            "sample_id": f"{self.id}_tools" if with_calls else self.id,
            "video_id": self.video,
            "source_videos": Path(self.path).parent.name,
            "title": self.video,
            "duration": round(self.duration, 3),
            "categories": [],
            "sample_type": "multi_turn" if len(self.turns) > 1 else "single_turn",
            "scenario": self.scenario,
            "scenario_id": self.scenario_id,
            "task": self.task,
            "task_id": self.task_id,
            "criteria_count": sum(len(turn.criteria) for turn in self.turns),
            "conversations": said,
        }
        if with_calls:
            row["required_tools"] = list(dict.fromkeys(call.tool for turn in self.turns for call in turn.calls))
        return row


def _messages(turn: BuiltTurn, *, with_calls: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    asked: dict[str, Any] = {
        "role": "user",
        "content": turn.question,
        "difficulty": turn.difficulty,
        "modalities": list(turn.modalities),
        "key_segments": list(turn.segments),
        "key_spans": [[span.start, span.end] for span in turn.spans],
        "answerable_blind": turn.blind,
    }
    if turn.role:
        asked["conversation_role"] = turn.role
    criteria = [
        {**criterion.model_dump(), "weight": WEIGHTS[criterion.category], "is_penalty": criterion.category == PENALTY}
        for criterion in turn.criteria
    ]
    answered: dict[str, Any] = {"role": "assistant", "content": turn.answer, "criteria": criteria}
    if with_calls:
        answered["tool_calls"] = [
            {"tool": call.tool, "parameters": dict(call.arguments), "expected_response": call.result}
            for call in turn.calls
        ]
    return asked, answered
