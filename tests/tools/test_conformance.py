"""What holds for every tool: its schema, its timestamps, its failures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.servers.openai_server import openai_server, says
from helpers.servers.searxng_server import KETTLES, searxng_server

from longtake.memory.notes import Notes
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.settings import Settings
from longtake.tools.catalogue import BUILT_IN
from longtake.tools.core.registry import SPECS, ToolSpec, tool
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox

# name: parameters, required ones, output fields; those of the paper's table, and what serves a controller
CONTRACT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "transcribe_speech": ({"timestamp", "language"}, {"timestamp"}, {"transcript", "timestamp"}),
    "extract_scene_text": ({"timestamp", "language"}, {"timestamp"}, {"texts"}),
    "count_objects": ({"timestamp", "object_query"}, {"timestamp", "object_query"}, {"object", "count"}),
    "object_detection": (
        {"timestamp", "categories"},
        {"timestamp", "categories"},
        {"timestamp", "object", "bounding_box"},
    ),
    "extract_math_exp": ({"timestamp", "language"}, {"timestamp"}, {"expressions"}),
    "calculator": ({"expression"}, {"expression"}, {"result"}),
    "web_search": ({"query", "num_results"}, {"query"}, {"results"}),
    "execute_code": ({"code", "language", "inputs"}, {"code"}, {"stdout", "stderr"}),
    "detect_audio_events": ({"timestamp", "question"}, {"timestamp"}, {"description"}),
    "detect_activities": ({"timestamp"}, {"timestamp"}, {"activities"}),
    "summarize_segment": ({"timestamp", "text", "length"}, {"timestamp"}, {"summary"}),
    "detect_faces": ({"timestamp"}, {"timestamp"}, {"faces"}),
    "cross_modal_search": ({"query", "modalities", "within", "k", "level"}, {"query"}, {"timestamp", "results"}),
    "memory_tool": ({"func", "data"}, {"func", "data"}, {"success", "output"}),
    "translate_speech": (
        {"timestamp", "from_lang", "to_lang"},
        {"timestamp", "from_lang", "to_lang"},
        {"translated_transcript"},
    ),
    "translate_text": ({"text", "from_lang", "to_lang"}, {"text", "from_lang", "to_lang"}, {"translated_text"}),
    "inspect_motion": ({"timestamp"}, {"timestamp"}, {"findings", "cannot_tell"}),
    "find_moments": ({"timestamp", "kind"}, {"timestamp"}, {"moments"}),
    "integrate_frames": ({"timestamp", "mode"}, {"timestamp"}, {"texts", "picture"}),
    "watch_segment": (
        {"timestamp", "question", "spans", "pictures", "crop"},
        {"timestamp", "question"},
        {"frames"},
    ),
    "browse": ({"timestamp", "level", "page", "speaker"}, {"timestamp"}, {"sections", "segments"}),
}
CALLS: dict[str, dict[str, Any]] = {
    "transcribe_speech": {"timestamp": [0, 8]},
    "extract_scene_text": {"timestamp": [0, 8]},
    "count_objects": {"timestamp": [0, 8], "object_query": "white things"},
    "object_detection": {"timestamp": [0, 8], "categories": ["white things"]},
    "extract_math_exp": {"timestamp": [0, 8]},
    "calculator": {"expression": "1+1"},
    "web_search": {"query": "kettle"},
    "execute_code": {"code": "print(1 + 1)", "language": "python"},
    "detect_audio_events": {"timestamp": [0, 8]},
    "detect_activities": {"timestamp": [0, 8]},
    "summarize_segment": {"timestamp": [0, 8], "text": "", "length": "short"},
    "detect_faces": {"timestamp": [0, 8]},
    "cross_modal_search": {"query": "kettle", "modalities": []},
    "memory_tool": {"func": "add", "data": "a kettle"},
    # Into the language it is in, which needs no engine.
    "translate_speech": {"timestamp": [0, 8], "from_lang": "English", "to_lang": "en"},
    "translate_text": {"text": "A heron.", "from_lang": "English", "to_lang": "en"},
    "inspect_motion": {"timestamp": [0, 8]},
    "find_moments": {"timestamp": [0, 8]},
    "integrate_frames": {"timestamp": [0, 8]},
    "watch_segment": {"timestamp": [0, 8], "question": "What is seen?"},
    "browse": {"timestamp": [0, 8]},
}
SEEN = "IN ALL: 1\nAT ONCE: 1\n00:00:01-00:00:02 A blue slide is seen."
# Of the calls above: they are about no video, or find nothing in this one.
WITHOUT_EVIDENCE = (
    "calculator",
    "execute_code",
    "extract_math_exp",
    "translate_text",
    "detect_faces",
    "memory_tool",
    "find_moments",
)
NEED_THE_FILE = ("count_objects", "object_detection", "integrate_frames", "watch_segment")
ALL_SPECS = [SPECS[function] for function in BUILT_IN]
TIMED = [spec.name for spec in ALL_SPECS if "timestamp" in spec.arguments.model_fields]


@pytest.fixture(scope="module")
def engines_with_web() -> Iterator[EngineTable]:
    """The default engines, one for faces, and on loopback a SearXNG and a model that sees a slide."""
    with searxng_server(KETTLES) as server, openai_server([says(SEEN)]) as model:
        seer = {"base_url": model.url, "model": "seer"}
        asked = {"web": {"searxng_url": server.url}, "visual_question": seer, "engines": {"faces": ["dlib"]}}
        yield EngineTable(Settings.model_validate(asked))


@pytest.fixture
def opened(
    opened: Callable[..., ToolContext], engines_with_web: EngineTable, tmp_path: Path
) -> Callable[..., ToolContext]:
    """Opens videos with these engines and a place for notes."""
    notes = Notes(tmp_path / "memory.sqlite")
    return lambda *names: replace(opened(*names), engines=engines_with_web, notes=notes)


@pytest.fixture
def remembered(name: str, talk: ToolContext, lost: ToolContext) -> ToolContext:
    """`talk` without its file, so that a tool answers from the index; with it for tools that can do nothing else."""
    return talk if name in NEED_THE_FILE else lost


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


@pytest.mark.nightly
@every_tool
def test_output_fields_and_evidence(spec: ToolSpec, toolbox: Toolbox, talk: ToolContext) -> None:
    result = toolbox.call(spec.name, CALLS[spec.name], talk)
    assert result.failure is None
    assert set(result.output) == CONTRACT[spec.name][2]
    assert ToolResult.model_validate_json(result.model_dump_json()) == result
    for item in result.evidence:
        assert item.engine
        if not item.video:  # found outside every video, and so no proof of what is in one
            assert not item.trusted
            continue
        assert item.video in talk.videos
        assert any(item.span.overlaps(span) for span in result.looked_at)
    assert bool(result.evidence) == (spec.name not in WITHOUT_EVIDENCE)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "timestamp",
    ["0:01-0:07", "00:00:01-00:00:07", "1 to 7", "1-7", [1, 7], ["0:01", "0:07"], {"start": 1, "end": 7}, [7, 1]],
    ids=str,
)
@every_timed_tool
def test_every_spelling_of_a_span_means_the_same(
    name: str, timestamp: Any, toolbox: Toolbox, remembered: ToolContext
) -> None:
    result = toolbox.call(name, CALLS[name] | {"timestamp": timestamp}, remembered)
    assert [(span.start, span.end) for span in result.looked_at] == [(1, 7)]
    assert any("swapped" in note for note in result.notes) == (timestamp == [7, 1])


@pytest.mark.nightly
@pytest.mark.parametrize("timestamp", [2, 2.0, "2", "0:02", "00:00:02", [2], {"start": 2}], ids=repr)
@every_timed_tool
def test_a_point_widens_to_the_tools_own_window(
    name: str, timestamp: Any, toolbox: Toolbox, remembered: ToolContext
) -> None:
    result = toolbox.call(name, CALLS[name] | {"timestamp": timestamp}, remembered)
    [span] = result.looked_at
    assert span.start <= 2 <= span.end
    assert any("widened" in note for note in result.notes) == (name not in ("extract_scene_text", "extract_math_exp"))


@every_timed_tool
def test_a_span_past_the_end_is_clipped_and_says_so(name: str, toolbox: Toolbox, remembered: ToolContext) -> None:
    result = toolbox.call(name, CALLS[name] | {"timestamp": "0:05-9:00"}, remembered)
    assert result.looked_at, result.failure
    assert result.looked_at[-1].end == remembered.video.duration
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


@pytest.mark.nightly
@every_timed_tool
def test_several_videos_need_a_choice(name: str, toolbox: Toolbox, both: ToolContext) -> None:
    failure = toolbox.call(name, CALLS[name], both).failure
    assert failure
    assert failure.message == "Several videos are open: name one."
    assert all(video in failure.remedy for video in both.videos)
    assert toolbox.call(name, CALLS[name] | {"video": "talk.mp4"}, both).failure is None


@pytest.mark.slow
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
