"""Loads LongShOTBench: open questions about long videos, asked in conversations and graded by rubrics.

The loader reads the JSONL of v1, v1 with tools, v2 and their clean exports, which omit different fields; Hugging Face
writes null for an absent one. Null counts as absent, unknown fields are ignored, and a missing weight follows from the
criterion's category. A penalty is worded as a prohibition ("Must not ..."): a reply meets it by not doing it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self, TypeVar

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from longtake.evalharness.items import Criterion, Item, ToolCall, Turn
from longtake.evalharness.runs.journal import wrong_field
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.suites.benchmark_rows import Row, read_rows
from longtake.evalharness.suites.loading import Videos, items_of
from longtake.language.text import parse_json

CATEGORIES: dict[str, tuple[str, ...]] = {
    "core_perception": ("entity_recognition", "event_understanding", "temporal_reasoning", "audio_understanding"),
    "reasoning": ("causal_reasoning", "quantitative_reasoning", "compositional_reasoning", "comparative_analysis"),
    "information": ("information_retrieval", "summarization", "instruction_extraction", "sentiment_analysis"),
    "multimodal": ("multimodal_synthesis", "cross_modal_verification", "audio_visual_alignment", "motion_analysis"),
}
TASKS = tuple(task for tasks in CATEGORIES.values() for task in tasks)
OLDER_NAMES = {
    "ocr_text_extraction": "entity_recognition",
    "visual_scene_understanding": "event_understanding",
    "spatial_reasoning": "temporal_reasoning",
    "speech_transcription": "audio_understanding",
    "speaker_identification": "audio_understanding",
    "commonsense_reasoning": "causal_reasoning",
    "mathematical_reasoning": "quantitative_reasoning",
    "pattern_recognition": "quantitative_reasoning",
    "reasoning_tasks": "quantitative_reasoning",
    "counterfactual_reasoning": "compositional_reasoning",
    "question_answering": "summarization",
    "ethical_reasoning": "sentiment_analysis",
    "multimodal_translation": "motion_analysis",
}
_VISUAL = (
    "visual text text_extraction text_overlay cross_modal_information timestamp_identification implicit_information "
    "contextual_interpretation"
)
MODALITY_GROUPS = dict.fromkeys(_VISUAL.split(), "visual") | {"audio_environment": "audio", "speech": "speech"}
# Upper edges of the duration buckets in seconds: the released code's and the paper's.
EDGES = {"repo": (1800.0, 2700.0), "paper": (1800.0, 3600.0)}


def modality_group(tag: str, *, parity: bool) -> str:
    """The row a modality tag counts in; with parity `audio` counts as visual, as every unknown tag does."""
    if tag == "audio" and not parity:
        return "audio"
    return MODALITY_GROUPS.get(tag, "visual")


def duration_bucket(seconds: float, variant: str) -> str:
    """short, medium or long; a duration on an edge belongs to the longer bucket."""
    short, medium = EDGES[variant]
    return "short" if seconds < short else "medium" if seconds < medium else "long"


M = TypeVar("M", bound=BaseModel)
WEIGHTS = {"high_priority": 5.0, "medium_priority": 3.0, "low_priority": 1.0, "penalty": -5.0}


class _Tolerant(BaseModel):
    """Null counts as absent; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {
            name: [element for element in held if element is not None] if isinstance(held, list) else held
            for name, held in value.items()
            if held is not None
        }


class CriterionRow(_Tolerant):
    """A criterion, and the verdict of the released judge, if any."""

    name: str = ""
    description: str = ""
    category: str = ""
    weight: FiniteFloat = 0.0
    is_penalty: bool = False
    criteria_met: bool | None = None
    evaluation_error: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_category(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        category = value.get("category")
        filled = dict(value)
        if filled.get("weight") is None:
            if category not in WEIGHTS:
                raise PydanticCustomError("weight", "it has no weight, and its category implies none")
            filled["weight"] = WEIGHTS[category]
        if filled.get("is_penalty") is None:
            filled["is_penalty"] = category == "penalty"
        return filled

    def criterion(self, name: str) -> Criterion:
        """The criterion with a name unique in its turn."""
        return Criterion(name=name, description=self.description, weight=self.weight, penalty=self.is_penalty)


def _decoded(value: Any) -> Any:
    """A value that may be written as JSON inside a string."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except ValueError as error:
        raise PydanticCustomError("json", "this string is not JSON") from error


class CallRow(_Tolerant):
    """A gold call of a tool and what it returned."""

    tool: str
    parameters: Mapping[str, Any] = Field(default_factory=dict)
    expected_response: Any = ""

    def call(self) -> ToolCall:
        """The call; parameters that are null were left out."""
        result = self.expected_response
        return ToolCall(
            tool=self.tool,
            arguments={name: value for name, value in self.parameters.items() if value is not None},
            result=result if isinstance(result, str) else json.dumps(result, ensure_ascii=False),
        )


Calls = Annotated[tuple[Annotated[CallRow, BeforeValidator(_decoded)], ...], BeforeValidator(_decoded)]


class LongshotMessage(_Tolerant):
    """What the user or the assistant says: a question, or the reference answer with its rubric."""

    role: str
    content: str = ""
    difficulty: int | None = None
    modalities: tuple[str, ...] = ()
    conversation_role: str = ""
    criteria: tuple[CriterionRow, ...] = ()
    tool_calls: Calls = Field(default=(), validation_alias=AliasChoices("tool_calls", "tool_calls_json"))
    candidate_response: str | None = None


class LongshotExchange(NamedTuple):
    """A question and the combined assistant messages up to the next one."""

    asked: LongshotMessage
    reference: str
    criteria: Mapping[str, CriterionRow]  # by a name that is unique in the turn
    calls: tuple[ToolCall, ...]
    reply: str | None  # of the subject, in an output of the released evaluator


class Sample(_Tolerant):
    """A sample with its conversation."""

    sample_id: str = ""
    video_id: str = Field(min_length=1)
    duration: FiniteFloat = 0.0
    task: str = ""
    conversations: tuple[LongshotMessage, ...] = Field(validation_alias=AliasChoices("conversations", "question"))

    @field_validator("conversations")
    @classmethod
    def _is_asked_and_scored(cls, messages: tuple[LongshotMessage, ...]) -> tuple[LongshotMessage, ...]:
        said = [message for message in messages if message.role in ("user", "assistant")]
        if not said or said[0].role != "user":
            raise PydanticCustomError("question", "it does not begin with a user's question")
        if any(message.role == "user" and not message.content.strip() for message in said):
            raise PydanticCustomError("question", "a question is empty")
        if not any(message.criteria or message.tool_calls for message in said):
            raise PydanticCustomError("criteria", "no answer has criteria or tool calls to score a reply by")
        return tuple(said)

    @classmethod
    def of(cls, row: Row) -> Self:
        """The sample of a row; a missing id is made of video, task and line.

        Raises:
            BadRow: if the row isn't a sample.
        """
        sample = parsed(cls, row)
        made_up = f"{sample.video_id}#{sample.task}#{row.number}"
        return sample if sample.sample_id else sample.model_copy(update={"sample_id": made_up})

    @property
    def exchanges(self) -> list[LongshotExchange]:
        """The conversation, question by question."""
        starts = [place for place, message in enumerate(self.conversations) if message.role == "user"]
        ends = [*starts[1:], len(self.conversations)]
        return [
            _exchange(self.conversations[start], self.conversations[start + 1 : end])
            for start, end in zip(starts, ends, strict=True)
        ]


def parsed(kind: type[M], row: Row) -> M:
    """A row as a record.

    Raises:
        BadRow: when a field is missing or invalid.
    """
    try:
        return kind.model_validate(row.fields)
    except ValidationError as error:
        field, _, fault = wrong_field(error).partition(": ")
        raise row.bad(field, fault) from error


def _exchange(asked: LongshotMessage, answers: Sequence[LongshotMessage]) -> LongshotExchange:
    criteria = [row for answer in answers for row in answer.criteria]
    said = [answer.candidate_response for answer in answers if answer.candidate_response is not None]
    return LongshotExchange(
        asked=asked,
        reference="\n".join(answer.content for answer in answers if answer.content),
        criteria=dict(zip(_unique(row.name for row in criteria), criteria, strict=True)),
        calls=tuple(row.call() for answer in answers for row in answer.tool_calls),
        reply="\n".join(said) if said else None,
    )


def _unique(names: Iterable[str]) -> list[str]:
    """The names, with a number after repeated ones; an empty name becomes "criterion"."""
    unique: list[str] = []
    for name in names:
        wanted, number = name or "criterion", 1
        while wanted in unique:
            number += 1
            wanted = f"{name or 'criterion'} {number}"
        unique.append(wanted)
    return unique


SUITE = "longshot"
TEMPERATURE = 0.1  # at which the released code asks models


def load_longshot(file: Path, media: Path | None, notify: Notify) -> list[Item]:
    """Read the samples of a file as items.

    Videos are at any depth of the folder, as `<video_id>.mp4` or in another container. Skipped lines are reported, and
    each video once that is missing or can't be read.

    Raises:
        ConfigError: if the file cannot be read or holds no sample.
    """
    videos = Videos(media, notify)
    found: dict[str, tuple[str | None, float | None]] = {}

    def make(row: Row) -> Item:
        item = longshot_item(Sample.of(row))
        if item.video not in found:
            path = videos.find(item.video, row, "video_id")
            found[item.video] = path, videos.seconds(path, row, "video_id")
        path, seconds = found[item.video]
        return item.model_copy(update={"media": path, "seconds": item.seconds or seconds})

    lacking = f"{file} holds no sample of LongShOTBench; give its JSONL file."
    return items_of(read_rows(file, notify), make, notify, "sample_id", lacking)


def longshot_item(sample: Sample) -> Item:
    """The item of a sample, without its video; an older task name becomes the current one."""
    turns = tuple(_turn(exchange) for exchange in sample.exchanges)
    task = OLDER_NAMES.get(sample.task, sample.task)
    return Item(
        suite=SUITE,
        id=sample.sample_id,
        video=sample.video_id,
        task=task,
        format="calls" if any(turn.calls for turn in turns) else "rubric",
        turns=turns,
        seconds=sample.duration if sample.duration > 0 else None,
        tags={"task_in_file": sample.task} if sample.task != task else {},
        temperature=TEMPERATURE,
    )


def _turn(exchange: LongshotExchange) -> Turn:
    asked = exchange.asked
    return Turn(
        question=asked.content,
        reference=exchange.reference,
        criteria=tuple(row.criterion(name) for name, row in exchange.criteria.items()),
        calls=exchange.calls,
        modalities=asked.modalities,
        difficulty=asked.difficulty,
        tags={"conversation_role": asked.conversation_role} if asked.conversation_role else {},
    )
