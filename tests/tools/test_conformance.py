"""What holds for every tool: its schema, its timestamps, its failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from longtake.config import Settings
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.table import ENGINES
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.context import ToolContext
from longtake.tools.registry import SPECS, ToolSpec, tool
from longtake.tools.result import ToolResult
from longtake.tools.toolbox import Toolbox

# name: parameters, required ones, output fields; from the paper's table
CONTRACT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "transcribe_speech": ({"timestamp", "language"}, {"timestamp"}, {"transcript", "timestamp"}),
    "extract_scene_text": ({"timestamp", "language"}, {"timestamp"}, {"texts"}),
    "calculator": ({"expression"}, {"expression"}, {"result"}),
    "detect_audio_events": ({"timestamp"}, {"timestamp"}, {"description"}),
    "summarize_segment": ({"timestamp", "text", "length"}, {"timestamp", "text", "length"}, {"summary"}),
    "cross_modal_search": ({"query", "modalities", "k"}, {"query", "modalities"}, {"timestamp", "results"}),
}
CALLS: dict[str, dict[str, Any]] = {
    "transcribe_speech": {"timestamp": [0, 8]},
    "extract_scene_text": {"timestamp": [0, 8]},
    "calculator": {"expression": "1+1"},
    "detect_audio_events": {"timestamp": [0, 8]},
    "summarize_segment": {"timestamp": [0, 8], "text": "", "length": "short"},
    "cross_modal_search": {"query": "kettle", "modalities": []},
}
ALL_SPECS = [SPECS[function] for function in ALL_TOOLS]
TIMED = [spec.name for spec in ALL_SPECS if "timestamp" in spec.arguments.model_fields]
every_tool = pytest.mark.parametrize("spec", ALL_SPECS, ids=lambda spec: spec.name)
every_timed_tool = pytest.mark.parametrize("name", TIMED)


@every_tool
def test_the_schema_is_the_contract(spec: ToolSpec) -> None:
    names, required, _ = CONTRACT[spec.name]
    schema = spec.schema()
    assert (set(schema["properties"]), set(schema["required"])) == (names, required)
    assert schema["additionalProperties"] is False
    assert all(prop["description"] for prop in schema["properties"].values())


@every_tool
def test_the_schema_hides_the_context_and_shows_the_video_only_when_there_are_two(spec: ToolSpec) -> None:
    assert "context" not in json.dumps(spec.schema()).lower()
    assert spec.schema(("a",)) == spec.schema()
    two = spec.as_openai(("a", "b"))["function"]["parameters"]
    assert two["properties"]["video"]["enum"] == ["a", "b"]
    assert "video" not in two["required"]


def refusal(result: ToolResult) -> str:
    """What a tool says of arguments that it refuses."""
    assert result.failure
    assert result.failure.kind == "bad_arguments"
    return result.failure.message


@every_tool
def test_capabilities_are_those_of_the_engine_table(spec: ToolSpec) -> None:
    assert set(spec.capabilities) <= set(ENGINES)


@every_tool
def test_output_fields_and_evidence(spec: ToolSpec, toolbox: Toolbox, talk: ToolContext) -> None:
    result = toolbox.call(spec.name, CALLS[spec.name], talk)
    assert result.failure is None
    assert set(result.output) == CONTRACT[spec.name][2]
    assert ToolResult.model_validate_json(result.model_dump_json()) == result
    for item in result.evidence:
        assert item.video in talk.videos
        assert item.engine
        assert any(item.span.overlaps(span) for span in result.looked_at)
    assert bool(result.evidence) == (spec.name != "calculator")


@pytest.mark.parametrize(
    "timestamp",
    ["0:01-0:07", "00:00:01-00:00:07", "1 to 7", "1-7", [1, 7], ["0:01", "0:07"], {"start": 1, "end": 7}, [7, 1]],
    ids=str,
)
@every_timed_tool
def test_every_spelling_of_a_span_means_the_same(
    name: str, timestamp: Any, toolbox: Toolbox, lost: ToolContext
) -> None:
    result = toolbox.call(name, CALLS[name] | {"timestamp": timestamp}, lost)
    assert [(span.start, span.end) for span in result.looked_at] == [(1, 7)]
    assert any("swapped" in note for note in result.notes) == (timestamp == [7, 1])


@pytest.mark.parametrize("timestamp", [2, 2.0, "2", "0:02", "00:00:02", [2], {"start": 2}], ids=repr)
@every_timed_tool
def test_a_point_widens_to_the_tools_own_window(name: str, timestamp: Any, toolbox: Toolbox, lost: ToolContext) -> None:
    result = toolbox.call(name, CALLS[name] | {"timestamp": timestamp}, lost)
    [span] = result.looked_at
    assert span.start <= 2 <= span.end
    assert any("widened" in note for note in result.notes) == (name != "extract_scene_text")


@every_timed_tool
def test_a_span_past_the_end_is_clipped_and_says_so(name: str, toolbox: Toolbox, lost: ToolContext) -> None:
    result = toolbox.call(name, CALLS[name] | {"timestamp": "0:05-9:00"}, lost)
    assert result.looked_at[-1].end == lost.video.duration
    assert any("clipped" in note for note in result.notes)


@pytest.mark.parametrize("timestamp", ["1:00", [60, 90], "01:00:00-01:00:10"], ids=str)
@every_timed_tool
def test_a_span_outside_states_the_duration(name: str, timestamp: Any, toolbox: Toolbox, talk: ToolContext) -> None:
    assert "ends at 00:00:08.0" in refusal(toolbox.call(name, CALLS[name] | {"timestamp": timestamp}, talk))


@pytest.mark.parametrize(
    "timestamp", [True, None, "soon", -3, "-3", [], [1, 2, 3], {}, float("nan"), {"start": "x"}], ids=repr
)
@every_timed_tool
def test_what_is_no_time_says_how_to_write_one(name: str, timestamp: Any, toolbox: Toolbox, talk: ToolContext) -> None:
    assert "00:12:3" in refusal(toolbox.call(name, CALLS[name] | {"timestamp": timestamp}, talk))


@every_tool
def test_a_wrong_or_missing_argument_is_named(spec: ToolSpec, toolbox: Toolbox, talk: ToolContext) -> None:
    [first, *_] = spec.schema()["required"]
    said = refusal(toolbox.call(spec.name, {first + "s": 1}, talk))
    assert f"argument {first!r} is missing" in said
    assert f"no argument {first + 's'!r}. Did you mean {first!r}?" in said


@every_tool
def test_a_call_without_time_left_does_not_start(spec: ToolSpec, toolbox: Toolbox, talk: ToolContext) -> None:
    talk.budget.stop()
    failure = toolbox.call(spec.name, CALLS[spec.name], talk).failure
    assert failure
    assert (failure.kind, failure.message) == ("timeout", "The work was stopped.")


@every_timed_tool
def test_several_videos_need_a_choice(name: str, toolbox: Toolbox, both: ToolContext) -> None:
    failure = toolbox.call(name, CALLS[name], both).failure
    assert failure
    assert failure.message == "Several videos are open: name one."
    assert all(video in failure.remedy for video in both.videos)
    assert toolbox.call(name, CALLS[name] | {"video": "talk.mp4"}, both).failure is None


@every_tool
def test_the_controller_gets_json_within_the_limit(spec: ToolSpec, toolbox: Toolbox, talk: ToolContext) -> None:
    result = toolbox.call(spec.name, CALLS[spec.name], talk)
    whole = result.for_controller(6_000)
    assert json.loads(whole)["data"] == result.output
    assert len(result.for_controller(len(whole))) == len(whole)
    assert len(result.for_controller(200)) <= 200
    assert json.loads(result.for_controller(200)).keys() & {"data", "cut"}


def test_registration_insists_on_descriptions() -> None:
    def silent(context: ToolContext, amount: int) -> ToolResult:
        """Do something."""
        return ToolResult(tool="silent")

    with pytest.raises(TypeError, match="amount"):
        tool()(silent)


def test_without_an_engine_a_tool_is_unavailable(opened: Callable[..., ToolContext], toolbox: Toolbox) -> None:
    settings = Settings.model_validate({"engines": {"speech": [], "summary": [], "text_embedding": []}})
    context = replace(opened("talk"), engines=EngineTable(settings))
    failure = toolbox.call("summarize_segment", CALLS["summarize_segment"], context).failure
    assert failure
    assert failure.kind == "unavailable"
    assert "doctor" in failure.remedy
    assert toolbox.call("cross_modal_search", CALLS["cross_modal_search"], context).output["results"]
    assert toolbox.call("transcribe_speech", CALLS["transcribe_speech"], context).output["transcript"]
