"""Samples with tool calls become items of the agentic track, with its rubric; what is broken is told of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.data.agentic import TOOLS, load, sample, turn

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Prediction, Reply, ToolCall, ToolDefinition, Turn
from longtake.evalharness.scoring.call_scores import compare_calls
from longtake.evalharness.scoring.rubric_scores import CriterionVerdict, Reading, sample_score
from longtake.evalharness.suites.agentic import FINAL, agentic_cases, load_agentic, own_tools, rubric, verdicts

NAMES = (
    "tool_selection_accuracy required_parameter_accuracy optional_parameter_precision sequence_logic "
    "final_answer_correctness efficiency_penalty wrong_tool_call"
).split()


def test_calls_are_read_however_they_are_written(tmp_path: Path) -> None:
    call = {"tool": "compute", "parameters": {"expression": "2+2"}, "expected_response": "4"}
    ways: list[dict[str, Any]] = [
        {"tool_calls": [call]},
        {"tool_calls": [json.dumps(call)]},
        {"tool_calls_json": json.dumps([call])},
    ]
    asked = {"role": "user", "content": "How many?"}
    rows = [
        sample(f"s{number}", [asked, {"role": "assistant", "content": "Four.", **way}])
        for number, way in enumerate(ways)
    ]
    items, reported = load(tmp_path, *rows)
    assert reported == []
    expected = (ToolCall(tool="compute", arguments={"expression": "2+2"}, result="4"),)
    assert [(item.suite, item.format, item.turns[0].calls) for item in items] == [("agentic", "calls", expected)] * 3


def test_gold_arguments_are_those_of_some_tool_and_none_of_requests(tmp_path: Path) -> None:
    given = {"expression": "2+2", "query": "a", "video_id": "v", "model": "m", "stream": False, "colour": "red"}
    (item,), _ = load(tmp_path, sample("s", turn("How many?", "Four.", ("compute", given, "4"))))
    # The release knows the parameters of all tools together.
    assert item.turns[0].calls[0].arguments == {"expression": "2+2", "query": "a"}


def test_a_parameter_called_model_is_no_gold_argument_even_where_a_tool_has_it(tmp_path: Path) -> None:
    tools = [{"name": "ask", "inputs": ["model", "text"], "outputs": {}, "description": ""}]
    (item,), _ = load(tmp_path, sample("s", turn("?", "!", ("ask", {"model": "m", "text": "t"}, ""))), tools=tools)
    assert item.turns[0].calls[0].arguments == {"text": "t"}


def test_the_tools_of_the_file_beside_it_are_those_of_the_item(tmp_path: Path) -> None:
    (item,), _ = load(tmp_path, sample("s", turn("How many?", "Four.", ("compute", {"expression": "2+2"}, "4"))))
    assert [tool.name for tool in item.tools] == ["transcribe", "count_things", "find", "compute"]
    assert item.tools[2].parameters == {"query": True, "modalities": False, "k": False}
    assert Item.model_validate_json(item.model_dump_json()) == item


def test_without_a_file_they_are_the_sixteen_of_the_paper(tmp_path: Path) -> None:
    (item,), _ = load(tmp_path, sample("s", turn("?", "!", ("calculator", {"expression": "2+2"}, "4"))), tools=None)
    tools = {tool.name: tool.parameters for tool in item.tools}
    assert len(tools) == 16
    assert tools["object_detection"] == {"timestamp": False, "categories": False}
    assert tools["web_search"] == {"query": True, "num_results": False}
    assert tools["translate_speech"] == {"timestamp": False, "from_lang": True, "to_lang": True}
    assert all(tool.description for tool in own_tools())


@pytest.mark.parametrize("text", ["{", '{"name": "a"}', '[{"name": "a"}]', '[{"inputs": ["a"]}]'])
def test_a_broken_file_of_tools_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "bench.jsonl").write_text(json.dumps(sample("s", turn("?", "!", ("compute", {}, "")))))
    (tmp_path / "tools.json").write_text(text)
    with pytest.raises(ConfigError, match=r"tools\.json defines no tools: .+; give LongShOT's tools\.json\."):
        load_agentic(tmp_path / "bench.jsonl", None, lambda _: None)


def test_samples_without_calls_are_reported_and_left_out(tmp_path: Path) -> None:
    called = sample("called", turn("How many?", "Four.", ("compute", {"expression": "2+2"}, "4")))
    asked, answered = turn("Who?", "Ada.")
    criterion = {"name": "ada", "description": "Says Ada.", "category": "high_priority"}
    plain = sample("plain", [asked, {**answered, "criteria": [criterion]}])
    items, reported = load(tmp_path, plain, called)
    assert [item.id for item in items] == ["called"]
    assert reported == ["DIR/bench.jsonl: 1 of 2 samples have no tool_calls; they were left out."]
    with pytest.raises(ConfigError, match="holds no sample with tool_calls"):
        load(tmp_path, plain)


def test_the_rubric_weighs_distinct_tools_and_parameters_of_definitions(tmp_path: Path) -> None:
    first = ("count_things", {"thing": "cup"}, "3")
    second = ("count_things", {"thing": "jug"}, "1")
    rows = sample("s", [*turn("How many?", "Four.", first, second, ("compute", {}, "4")), *turn("Why?", "So.")])
    (item,), _ = load(tmp_path, rows)
    criteria = item.turns[0].criteria
    assert [criterion.name for criterion in criteria] == NAMES
    # 2 distinct tools; 1 + 1 + 1 required; 2 + 2 + 0 optional at a quarter each.
    assert [criterion.weight for criterion in criteria] == [2, 3, 1, 1, 3, 1, 2]
    assert [criterion.name for criterion in criteria if criterion.penalty] == NAMES[-2:]
    assert item.turns[1].criteria == ()


def test_criteria_of_parameters_that_no_tool_has_are_left_out() -> None:
    tools = (ToolDefinition(name="look", inputs=()),)
    assert [criterion.name for criterion in rubric([ToolCall(tool="look", arguments={})], tools)] == [
        *NAMES[:1],
        *NAMES[3:],
    ]


@pytest.mark.parametrize(
    ("reading", "earned", "possible"), [("repo", 9, 12), ("signed", 9, 9), ("paper", 1, 1), ("strict", 1, 1)]
)
def test_a_flawless_run_of_two_tools_and_three_parameters_gets_75_as_released(
    reading: Reading, earned: float, possible: float
) -> None:
    tools = (ToolDefinition(name="a", inputs=("x", "y")), ToolDefinition(name="b", inputs=("z",)))
    gold = [ToolCall(tool="a", arguments={"x": 1, "y": 2}), ToolCall(tool="b", arguments={"z": 3})]
    asked = Turn(question="?", calls=tuple(gold), criteria=rubric(gold, tools))
    met = {**verdicts(compare_calls(gold, gold, tools)), FINAL: True}
    item = Item(suite="agentic", id="i", video="v", format="calls", turns=(asked,))
    judged = [CriterionVerdict(criterion, met[criterion.name]) for criterion in asked.criteria]
    assert sample_score(item.heading, judged, reading) == (item.heading, earned, possible)


@pytest.mark.parametrize(
    ("made", "unmet"),
    [
        ([("find", {"query": "a", "k": 2}), ("compute", {"expression": "1"})], []),
        ([("compute", {"expression": "1"}), ("find", {"query": "a", "k": 2})], ["sequence_logic"]),
        ([("find", {"query": "b", "k": 2}), ("compute", {"expression": "1"})], ["required_parameter_accuracy"]),
        ([("find", {"query": "a"}), ("compute", {"expression": "1"})], ["optional_parameter_precision"]),
        (
            [("find", {"query": "a", "k": 2}), ("find", {"query": "a"}), ("compute", {"expression": "1"})],
            ["efficiency_penalty"],
        ),
        (
            [("find", {"query": "a", "k": 2}), ("compute", {"expression": "1"}), ("transcribe", {})],
            ["tool_selection_accuracy", "efficiency_penalty", "wrong_tool_call"],
        ),
        ([], ["tool_selection_accuracy", "required_parameter_accuracy", "optional_parameter_precision", NAMES[3]]),
    ],
)
def test_each_fault_loses_its_own_criteria(made: list[tuple[str, dict[str, Any]]], unmet: list[str]) -> None:
    tools = [ToolDefinition(**tool) for tool in TOOLS]
    gold = [
        ToolCall(tool="find", arguments={"query": "a", "k": 2}),
        ToolCall(tool="compute", arguments={"expression": "1"}),
    ]
    calls = [ToolCall(tool=tool, arguments=arguments) for tool, arguments in made]
    assert [name for name, met in verdicts(compare_calls(gold, calls, tools)).items() if not met] == unmet


def test_only_the_final_answers_of_turns_with_calls_are_judged(tmp_path: Path) -> None:
    called = turn("How many?", "Four.", ("compute", {"expression": "2+2"}, "4"))
    (item,), _ = load(tmp_path, sample("s", [*called, *turn("Why?", "So."), *called]))
    said = Prediction(item="s", variant="original", subject="x", replies=(Reply(text="4"),), seconds=0)
    cases = list(agentic_cases(item, said))
    assert [(case.number, case.asks, case.name, case.reply.text) for case in cases] == [
        (0, "whole", "", "4"),
        (2, "whole", "", ""),
    ]
    assert cases[0].description == "Four."
