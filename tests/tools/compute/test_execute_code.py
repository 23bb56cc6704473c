"""`execute_code`: what it takes, and how it hands on what code printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from longtake.preprocess.engines import EngineTable
from longtake.settings import Settings
from longtake.tools.compute.execute_code import execute_code
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox


@pytest.fixture
def run(talk: ToolContext) -> Callable[..., ToolResult]:
    """Runs code in Monty, which is there on every machine; what holds for every sandbox is tested beside them."""
    settings = Settings.model_validate({"engines": {"sandbox": ["monty"]}})
    context = replace(talk, engines=EngineTable(settings))

    def call(code: str, language: str = "python", **more: Any) -> ToolResult:
        return Toolbox([execute_code]).call("execute_code", {"code": code, "language": language, **more}, context)

    return call


def test_it_prints_what_it_computed_and_names_its_engine(run: Callable[..., ToolResult]) -> None:
    result = run("print(inputs['a'] * 2)", inputs={"a": 21})
    assert result.output == {"stdout": "42\n", "stderr": ""}
    assert any(note.startswith("run by monty-") for note in result.notes)
    assert result.evidence == ()


@pytest.mark.parametrize("language", ["python", "Python", "python3", " py "])
def test_python_may_be_spelt_in_several_ways(language: str, run: Callable[..., ToolResult]) -> None:
    assert run("print(1)", language).output["stdout"] == "1\n"


@pytest.mark.parametrize("language", ["javascript", "bash", "c++", ""])
def test_another_language_is_refused_by_name(language: str, run: Callable[..., ToolResult]) -> None:
    failure = run("print(1)", language).failure
    assert failure
    assert failure.kind == "bad_arguments"
    assert failure.message == f"language: only 'python' is run here, not {language!r}."


@pytest.mark.parametrize("code", ["", "x" * 20_001])
def test_code_of_no_or_too_great_length_is_refused(code: str, run: Callable[..., ToolResult]) -> None:
    failure = run(code).failure
    assert failure
    assert failure.kind == "bad_arguments"


def test_what_a_terminal_would_obey_is_taken_out(run: Callable[..., ToolResult]) -> None:
    code = r"print('\x1b]0;mine\x07\x1b[2J\x1b[31mred\x1b[0m \x9b5A\rline\x00\b \u202eback \U000e0041\u200bé 漢 🙂')"
    assert run(code).output["stdout"] == "red 5A\nline back é 漢 🙂\n"


def test_silence_and_an_early_end_are_reported(run: Callable[..., ToolResult]) -> None:
    assert "the code printed nothing" in run("1 + 1").notes
    assert any("65536 bytes" in note for note in run("print('a' * 100000)").notes)


def test_a_failure_of_the_code_is_a_result(run: Callable[..., ToolResult]) -> None:
    result = run("{}['absent']")
    assert result.failure is None
    assert "KeyError" in result.output["stderr"]


def test_where_no_sandbox_works_nothing_runs(talk: ToolContext) -> None:
    engines = EngineTable(Settings.model_validate({"engines": {"sandbox": []}}))
    failure = (
        Toolbox([execute_code])
        .call("execute_code", {"code": "print(1)", "language": "python"}, replace(talk, engines=engines))
        .failure
    )
    assert failure
    assert failure.kind == "unavailable"
    assert "doctor" in failure.remedy


@pytest.mark.parametrize("sandbox", ["monty", "bubblewrap"])
def test_code_that_goes_on_for_too_long_is_a_failure(sandbox: str, talk: ToolContext) -> None:
    settings = Settings.model_validate({"engines": {"sandbox": [sandbox]}, "sandbox": {"seconds": 0.5}})
    context = replace(talk, engines=EngineTable(settings), settings=settings)
    if context.engines.report("sandbox").engine is None:
        pytest.skip(f"{sandbox} does not work here")
    code = "print('begun', flush=True)\nwhile True: pass"
    result = Toolbox([execute_code]).call("execute_code", {"code": code, "language": "python"}, context)
    assert result.failure
    assert (result.failure.kind, result.output) == ("timeout", {})
    assert "0.5 s" in result.failure.message
    assert "sandbox.seconds" in result.failure.remedy


def test_the_time_of_the_call_ends_it(talk: ToolContext) -> None:
    settings = Settings.model_validate({"engines": {"sandbox": ["monty"]}, "tools": {"timeout": 0.5}})
    context = replace(talk, engines=EngineTable(settings), settings=settings)
    result = Toolbox([execute_code]).call("execute_code", {"code": "while True: pass", "language": "python"}, context)
    assert result.failure
    assert result.failure.kind == "timeout"
