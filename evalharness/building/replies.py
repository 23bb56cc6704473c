"""The replies of the models of a build, and what makes one useless.

Every reply is a JSON object. Its JSON schema goes with the request, and its rules are checked here: a reply that breaks
one is asked for again, with the fault. The schema has the names of the classes, and the keys of kept replies have the
schema: after a renaming, models are asked, and paid, again.
"""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator
from pydantic_core import PydanticCustomError

from longtake.evalharness.building.built_item import PENALTY, Modality, Priority, Role
from longtake.evalharness.suites.longshot import TASKS

MOST_SCENARIOS, MOST_TASKS, MOST_CRITERIA = 3, 2, 5  # of a video, of a scenario, of a turn
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_MUST_NOT = re.compile(r"must not\b", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"(?:(?:and|but|so|then|really)\b,? )*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)"
    r"(?:n['’]t)?\b(?! you\b)",
    re.IGNORECASE,
)
_OF_THE_NOTES = re.compile(
    r"\bsegments? \d|according to the (?:video|notes|segments?|captions?|transcript)\b|"
    r"\bin the (?:transcript|captions?|segments?)\b",
    re.IGNORECASE,
)
_PROHIBITION = re.compile(r"(?:must|should|may|does|do|can)(?: not\b|n['’]t\b)|never\b|avoids?\b", re.IGNORECASE)


class StageReply(BaseModel):
    """An object; unknown fields are ignored, though the schema forbids them."""

    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_extra={"additionalProperties": False})


class FusedSegment(StageReply):
    """What happens in one segment."""

    segment: int
    text: Text


class Fused(StageReply):
    """One description for each segment of a part of a video."""

    segments: tuple[FusedSegment, ...]


class Scenario(StageReply):
    """Who watches a video, and what for."""

    viewer: Text
    wants: Text

    @property
    def text(self) -> str:
        """Both in one line."""
        return f"{self.viewer.rstrip('.')}: {self.wants}"


class Scenarios(StageReply):
    """The viewers of a video."""

    scenarios: tuple[Scenario, ...] = Field(min_length=1, max_length=MOST_SCENARIOS)


class ScenarioTasks(StageReply):
    """The tasks of the questions that a viewer asks."""

    scenario: int = Field(description="Its number, from 1.")
    tasks: tuple[str, ...] = Field(
        min_length=1, max_length=MOST_TASKS, json_schema_extra={"items": {"type": "string", "enum": list(TASKS)}}
    )

    @field_validator("tasks")
    @classmethod
    def _are_known(cls, tasks: tuple[str, ...]) -> tuple[str, ...]:
        for task in tasks:
            if task not in TASKS:
                raise PydanticCustomError("task", "{task} isn't a task", {"task": task})
        if len(set(tasks)) < len(tasks):
            raise PydanticCustomError("task", "a task is named twice")
        return tasks


class Tasks(StageReply):
    """The tasks of every scenario."""

    scenarios: tuple[ScenarioTasks, ...]


class Question(StageReply):
    """A question that stands for itself."""

    question: Text
    difficulty: int = Field(ge=1, le=5)
    modalities: tuple[Modality, ...] = Field(min_length=1)

    @field_validator("question")
    @classmethod
    def _can_be_asked(cls, question: str) -> str:
        if _YES_OR_NO.match(question):
            raise PydanticCustomError("question", "{question} is answered by yes or no", {"question": repr(question)})
        if found := _OF_THE_NOTES.search(question):
            raise PydanticCustomError(
                "question",
                "{question} says {words}, and who watches has no such notes",
                {"question": repr(question), "words": repr(found[0].strip())},
            )
        return question


class ConversationTurn(Question):
    """A question of a conversation."""

    role: Role


class Questions(StageReply):
    """One question, and one conversation."""

    single: Question
    conversation: tuple[ConversationTurn, ...] = Field(min_length=2, max_length=3)

    @model_validator(mode="after")
    def _begins_with_the_opener(self) -> Self:
        if [turn.role == "opener" for turn in self.conversation] != [True, *[False] * (len(self.conversation) - 1)]:
            raise PydanticCustomError("role", "the first turn of a conversation, and no other, is the opener")
        return self


class Answered(StageReply):
    """The answer to one turn."""

    answerable: bool
    answer: str
    segments: tuple[int, ...]

    @model_validator(mode="after")
    def _has_an_answer(self) -> Self:
        if self.answerable and not (self.answer.strip() and self.segments):
            raise PydanticCustomError("answer", "an answerable turn needs an answer and its segments")
        return self


class Answers(StageReply):
    """The answers to all turns."""

    turns: tuple[Answered, ...]


class Verdict(StageReply):
    """What a check found of one turn."""

    reason: str
    verdict: bool


class Verdicts(StageReply):
    """The verdicts on all turns."""

    turns: tuple[Verdict, ...]


class Guess(StageReply):
    """What is answered without the video."""

    answer: str


class Guesses(StageReply):
    """The guesses at all turns."""

    turns: tuple[Guess, ...]


class CriterionReply(StageReply):
    """A line of a rubric."""

    name: Text
    description: Text
    category: Priority

    @model_validator(mode="after")
    def _prohibits_as_a_penalty(self) -> Self:
        penalty = self.category == PENALTY
        if penalty != bool(_PROHIBITION.match(self.description)) or (penalty and not _MUST_NOT.match(self.description)):
            raise PydanticCustomError(
                "criterion",
                '{line} is a {category}: a penalty begins with "Must not", and nothing else is a prohibition',
                {"line": repr(self.description), "category": self.category},
            )
        return self


class RubricReply(StageReply):
    """The rubric of one turn."""

    criteria: tuple[CriterionReply, ...] = Field(min_length=1, max_length=MOST_CRITERIA)

    @model_validator(mode="after")
    def _has_what_counts(self) -> Self:
        if all(criterion.category != "high_priority" for criterion in self.criteria):
            raise PydanticCustomError("criteria", "no criterion has high_priority")
        return self


class Rubrics(StageReply):
    """The rubrics of all turns."""

    turns: tuple[RubricReply, ...]


class Argument(StageReply):
    """An argument of a call; those that are lists are separated by commas."""

    name: Text
    value: str


class Call(StageReply):
    """A call of a tool, and what it returns."""

    tool: Text
    arguments: tuple[Argument, ...]
    returns: Text


class TurnCalls(StageReply):
    """The calls that find the answer to one turn; none if no tool is needed."""

    calls: tuple[Call, ...]


class Calls(StageReply):
    """The calls of all turns."""

    turns: tuple[TurnCalls, ...]
