"""The agentic track of LongShOT (v1): which tools a subject calls for a question, in what order, with what arguments.

The samples are those of LongShOTBench that have `tool_calls`. A `tools.json` beside them defines the tools: a
list of {name, inputs, outputs, description}. Without it they are Longtake's versions of the paper's sixteen. The
track has two modes. In the simulated one (`agentic_simulated`) a model lists the calls it would make and is then
given the gold results. In the live one the agent calls its tools, and its trace holds the calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Prediction, ToolCall, ToolDefinition, Turn
from longtake.evalharness.judges.judge import Case
from longtake.evalharness.runs.journal import wrong_field
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.suites.agentic.agentic_rubric import rubric
from longtake.evalharness.suites.longshot.longshot_suite import load_longshot

SUITE = "agentic"
TOOLS = "tools.json"
# Arguments of the requests to a model, which the release keeps out of the gold calls.
_OF_REQUESTS = frozenset({"video_id", "stream", "api_key", "model", "temperature", "max_tokens"})

# The parameters in the paper's table of tools. Ours take more, which no gold call has.
_PUBLISHED: Mapping[str, str] = {
    "transcribe_speech": "timestamp language?",
    "extract_scene_text": "timestamp language?",
    "count_objects": "timestamp object_query",
    "object_detection": "timestamp categories[]",
    "extract_math_exp": "timestamp language?",
    "calculator": "expression",
    "web_search": "query num_results?",
    "execute_code": "code language inputs?",
    "detect_audio_events": "timestamp",
    "detect_activities": "timestamp",
    "summarize_segment": "timestamp text length",
    "detect_faces": "timestamp",
    "cross_modal_search": "query modalities[] k?",
    "memory_tool": "func data",
    "translate_speech": "timestamp from_lang to_lang",
    "translate_text": "text from_lang to_lang",
}


class _ToolRow(BaseModel):
    """A tool in the format of its file; other fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    name: str
    inputs: tuple[str, ...]
    outputs: Any = ""
    description: str = ""


def load_agentic(file: Path, media: Path | None, notify: Notify) -> list[Item]:
    """The samples of a file that have tool calls, with the released rubric instead of their own criteria.

    Args:
        file: JSONL of LongShOTBench v1.
        media: folder of the videos, or None; only the live mode needs them.
        notify: called for each skipped line, and with the number of samples without calls.

    Raises:
        ConfigError: if no sample has calls, or a file cannot be read.
    """
    tools_file = file.parent / TOOLS
    tools = read_tools(tools_file) if tools_file.exists() else own_tools()
    items = load_longshot(file, media, notify)
    called = [agentic_item(item, tools) for item in items if item.format == "calls"]
    if not called:
        raise ConfigError(f"{file} holds no sample with tool_calls; give a file of LongShOTBench v1.")
    if len(called) < len(items):
        notify(f"{file}: {len(items) - len(called)} of {len(items)} samples have no tool_calls; they were left out.")
    return called


def agentic_item(item: Item, tools: Sequence[ToolDefinition]) -> Item:
    """An item with gold calls as an item of the track.

    Args:
        item: of another suite.
        tools: those that may be called; gold arguments that no tool takes are left out.
    """
    known = {name for tool in tools for name in tool.parameters} - _OF_REQUESTS
    turns = tuple(_turn(turn, known, tools) for turn in item.turns)
    return item.model_copy(update={"suite": SUITE, "format": "calls", "tools": tuple(tools), "turns": turns})


def read_tools(file: Path) -> tuple[ToolDefinition, ...]:
    """The tools of a `tools.json`.

    Raises:
        ConfigError: if it cannot be read or defines no tools.
    """
    try:
        rows = TypeAdapter(list[_ToolRow]).validate_json(file.read_bytes())
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}; check its name.") from error
    except ValidationError as error:
        raise ConfigError(f"{file} defines no tools: {wrong_field(error)}; give LongShOT's {TOOLS}.") from error
    return tuple(ToolDefinition(**dict(row)) for row in rows)


def own_tools() -> tuple[ToolDefinition, ...]:
    """The paper's sixteen tools with the parameters that it publishes, and our descriptions."""
    from longtake.tools.catalogue import BUILT_IN
    from longtake.tools.core.registry import SPECS

    specs = [SPECS[function] for function in BUILT_IN if SPECS[function].group == "core"]
    return tuple(
        ToolDefinition(name=spec.name, inputs=tuple(_PUBLISHED[spec.name].split()), description=spec.description)
        for spec in specs
    )


def agentic_cases(item: Item, prediction: Prediction) -> Iterator[Case]:
    """The judged parts of a prediction: the final answer of each turn with gold calls, as a whole."""
    for number, turn, reply in prediction.turns_of(item):
        if turn.calls:
            yield Case(item, number, reply, "whole")


def _turn(turn: Turn, known: set[str], tools: Sequence[ToolDefinition]) -> Turn:
    calls = tuple(_call(call, known) for call in turn.calls)
    return turn.model_copy(update={"calls": calls, "criteria": rubric(calls, tools)})


def _call(call: ToolCall, known: set[str]) -> ToolCall:
    kept = {name: value for name, value in call.arguments.items() if name in known}
    return call.model_copy(update={"arguments": kept})
