"""Limits that hold for every call: time, size, cache, choice of a video, and crashes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from longtake.errors import EngineError
from longtake.settings import Settings
from longtake.tools.core.registry import tool
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox, _guarded

QUICK = Settings.model_validate({"tools": {"timeout": 0.3}})
ended = threading.Event()
never = threading.Event()
made: list[str] = []


@tool()
def hang(context: ToolContext) -> ToolResult:
    """Never come back."""
    never.wait(30)
    return ToolResult(tool="hang")


@tool()
def work(context: ToolContext) -> ToolResult:
    """Work on, looking at the budget at every chunk."""
    try:
        while True:
            context.budget.check()
            never.wait(0.02)
    finally:
        ended.set()


@tool()
def crash(
    context: ToolContext, how: Annotated[Literal["bug", "engine"], Field(description="Which way.")]
) -> ToolResult:
    """Fail."""
    if how == "engine":
        raise EngineError("The engine lost its model.")
    return ToolResult(tool="crash", output={"item": {}["absent"]})


@tool()
def count(context: ToolContext, word: Annotated[str, Field(description="A word.")] = "a") -> ToolResult:
    """Count the calls that were really made."""
    made.append(word)
    return ToolResult(tool="count", output={"calls": len(made)})


@tool()
def talkative(context: ToolContext) -> ToolResult:
    """Return far too much."""
    lines = [f"line {number}" for number in range(5_000)]
    return ToolResult(tool="talkative", output={"texts": lines, "all": "\n".join(lines)}, notes=("as asked",))


@tool()
def mistaken(context: ToolContext) -> Any:
    """Return something else than a result."""
    return {"count": 3}


@pytest.fixture
def odd() -> Toolbox:
    return Toolbox([hang, work, crash, count, talkative, mistaken])


def test_an_unknown_tool_gets_the_near_match(odd: Toolbox, talk: ToolContext) -> None:
    failure = odd.call("cuont", {}, talk).failure
    assert failure
    assert failure.message == "There is no tool 'cuont'. Did you mean 'count'?"
    other = odd.call("zzz", {}, talk).failure
    assert other
    assert "Known: hang, work, crash, count, talkative, mistaken." in other.message


def test_an_unknown_choice_gets_the_near_match(odd: Toolbox, toolbox: Toolbox, talk: ToolContext) -> None:
    failure = odd.call("crash", {"how": "engin"}, talk).failure
    assert failure
    assert "how: Input should be 'bug' or 'engine', not 'engin'. Did you mean 'engine'?" in failure.message
    nested = toolbox.call("cross_modal_search", {"query": "x", "modalities": ["speach"]}, talk).failure
    assert nested
    assert "Did you mean 'speech'?" in nested.message


def test_a_tool_that_hangs_is_left_behind(odd: Toolbox, opened: Callable[..., ToolContext]) -> None:
    failure = odd.call("hang", {}, opened("talk", settings=QUICK)).failure
    assert failure
    assert (failure.kind, failure.message) == ("timeout", "No result within 0.3 s.")
    assert "tools.timeout" in failure.remedy


def test_a_tool_that_reads_its_budget_ends_with_its_call(odd: Toolbox, opened: Callable[..., ToolContext]) -> None:
    ended.clear()
    context = opened("talk", settings=QUICK)
    failure = odd.call("work", {}, context).failure
    assert failure
    assert (failure.kind, failure.message) == ("timeout", "No result within 0.3 s.")
    assert ended.wait(5)
    context.budget.check()  # the question itself goes on


def test_a_tool_that_sees_the_end_first_says_whose_time_it_was(opened: Callable[..., ToolContext]) -> None:
    context = opened("talk", settings=QUICK)
    (spec,) = Toolbox([work])
    failure = _guarded(spec, spec.arguments(), context, context.budget.share(0)).failure
    assert failure
    assert (failure.kind, failure.message) == ("timeout", "No result within 0.3 s.")


def test_the_questions_time_ends_a_call_too(odd: Toolbox, opened: Callable[..., ToolContext]) -> None:
    failure = odd.call("hang", {}, opened("talk", seconds=0.2)).failure
    assert failure
    assert (failure.kind, failure.message) == ("timeout", "The time for this question ran out.")
    assert "budget.seconds" in failure.remedy


def test_a_stop_from_outside_ends_a_call_at_once(odd: Toolbox, talk: ToolContext) -> None:
    threading.Timer(0.1, talk.budget.stop).start()
    failure = odd.call("hang", {}, talk).failure
    assert failure
    assert (failure.kind, failure.message) == ("timeout", "The work was stopped.")


def test_a_crash_is_a_value(odd: Toolbox, talk: ToolContext) -> None:
    bug, engine = (odd.call("crash", {"how": how}, talk) for how in ("bug", "engine"))
    assert bug.failure
    assert (bug.failure.kind, bug.failure.message) == ("engine_failed", "KeyError: 'absent'")
    assert engine.failure
    assert (engine.failure.kind, engine.failure.message) == ("engine_failed", "The engine lost its model.")
    assert bug.tool == engine.tool == "crash"
    assert json.loads(bug.for_controller(6_000))["error"]["kind"] == "engine_failed"


def test_what_is_no_result_is_a_failure_of_its_tool(odd: Toolbox, talk: ToolContext) -> None:
    failure = odd.call("mistaken", {}, talk).failure
    assert failure
    assert (failure.kind, "mistaken" in failure.message, "dict" in failure.message) == ("engine_failed", True, True)


def undescribed(context: ToolContext, word: str) -> ToolResult:
    """A tool whose parameter has no description."""
    return ToolResult(tool="undescribed")


def untyped(context, word):  # type: ignore[no-untyped-def]
    """A tool whose parameter has no type."""
    return ToolResult(tool="untyped")


@pytest.mark.parametrize("function", [undescribed, untyped])
def test_what_a_declaration_lacks_is_named_with_its_parameter(function: Any) -> None:
    with pytest.raises(TypeError, match=rf"'?word'?.*{function.__name__}|{function.__name__}.*word"):
        tool()(function)


def test_equal_calls_are_answered_from_the_cache(odd: Toolbox, talk: ToolContext, both: ToolContext) -> None:
    made.clear()
    first, again = odd.call("count", {}, talk), odd.call("count", {"word": "a"}, talk)
    assert (first.cached, again.cached, again.output) == (False, True, first.output)
    assert not odd.call("count", {"word": "b"}, talk).cached
    assert not odd.call("count", {}, both).cached
    assert not odd.call("count", {"video": "mute.mp4"}, both).cached
    assert made == ["a", "b", "a", "a"]


def test_failures_are_not_cached(odd: Toolbox, talk: ToolContext) -> None:
    odd.call("crash", {"how": "bug"}, talk)
    assert not odd.call("crash", {"how": "bug"}, talk).cached


@pytest.mark.parametrize("limit", [200, 500, 6_000])
def test_too_much_is_cut_for_the_controller_and_whole_in_the_result(
    limit: int, odd: Toolbox, talk: ToolContext
) -> None:
    result = odd.call("talkative", {}, talk)
    assert len(result.output["texts"]) == 5_000
    shown = json.loads(result.for_controller(limit))
    assert len(result.for_controller(limit)) <= limit
    assert "ask for a shorter span" in shown["cut"]
    assert shown["data"]["texts"][:2] == ["line 0", "line 1"]
    assert shown["notes"] == ["as asked"]


def test_evidence_is_cut_before_the_output(toolbox: Toolbox, talk: ToolContext) -> None:
    result = toolbox.call("transcribe_speech", {"timestamp": [0, 8]}, talk)
    limit = len(result.for_controller(6_000)) - 1
    shown = json.loads(result.for_controller(limit))
    assert shown["data"] == result.output
    assert shown["cut"] == "1 of 2 pieces of evidence shown"


def test_a_video_that_is_not_open_gets_the_near_match(toolbox: Toolbox, both: ToolContext) -> None:
    failure = toolbox.call("calculator", {"expression": "1", "video": "talk.mp3"}, both).failure
    assert failure
    assert failure.message == "video: 'talk.mp3' is not open. Did you mean 'talk.mp4'?"


@pytest.mark.parametrize(("given", "meant"), [("text", "scene_text"), ("speach", "speech")])
def test_a_name_out_of_a_set_gets_the_near_match(toolbox: Toolbox, talk: ToolContext, given: str, meant: str) -> None:
    failure = toolbox.call("cross_modal_search", {"query": "heron", "modalities": [given]}, talk).failure
    assert failure
    assert failure.message.endswith(f"Did you mean {meant!r}?")


def test_a_single_text_stands_for_a_list_of_it(toolbox: Toolbox, talk: ToolContext) -> None:
    one = toolbox.call("cross_modal_search", {"query": "heron", "modalities": "speech"}, talk)
    assert one.failure is None
    assert one.output == toolbox.call("cross_modal_search", {"query": "heron", "modalities": ["speech"]}, talk).output


def test_with_one_video_there_is_no_argument_video(toolbox: Toolbox, talk: ToolContext) -> None:
    failure = toolbox.call("calculator", {"expression": "1", "video": "talk.mp4"}, talk).failure
    assert failure
    assert "There is no argument 'video'" in failure.message
