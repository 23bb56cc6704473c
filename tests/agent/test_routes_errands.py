"""Formulas, translations, notes, the web and code: what is drafted, and through the whole graph with real tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.rules import drafted
from helpers.searxng_server import finds, searxng_server

from longtake.agent.ask import Asker
from longtake.agent.rules.moves import Call
from longtake.config import load
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.workspace import Workspace
from longtake.tools.result import ToolFailure, ToolResult


def line(content: str) -> Evidence:
    span = TimeSpan(start=2.0, end=5.0)
    return Evidence(video="v", span=span, modality="scene_text", content=content, engine="e")


def formula(call: Call) -> ToolResult:
    if call.name == "calculator":
        return ToolResult(tool=call.name, output={"result": "x = 4"})
    expressions = [{"seen": "2x + 3 = 11", "expression": "2*x + 3 = 11", "value": "x = 4"}]
    return ToolResult(tool=call.name, output={"expressions": expressions}, evidence=(line("Solve: 2x + 3 = 11"),))


def test_a_formula_is_quoted_and_worked_out_where_that_is_asked() -> None:
    assert drafted("What equation is on the slide?", formula)[0] == "“Solve: 2x + 3 = 11” [00:00:02]"
    draft, calls = drafted("Solve the equation on the slide.", formula)
    assert draft == "“Solve: 2x + 3 = 11” gives x = 4 [00:00:02]."
    assert calls[-1] == Call("calculator", {"expression": "2*x + 3 = 11"})


def test_a_formula_that_cannot_be_worked_out_says_why() -> None:
    failure = ToolFailure(kind="timeout", message="It took too long.")

    def result_of(call: Call) -> ToolResult:
        return ToolResult(tool=call.name, failure=failure) if call.name == "calculator" else formula(call)

    assert drafted("Solve the equation on the slide.", result_of)[0] == "NOT FOUND: It took too long."


def test_a_note_is_forgotten_only_where_exactly_one_is_meant() -> None:
    def holds(count: int) -> tuple[str, list[Call]]:
        notes = [{"id": number, "text": f"exam {number}"} for number in range(1, count + 1)]

        def result_of(call: Call) -> ToolResult:
            found = notes if call.arguments["func"] == "search" else {"deleted": 1}
            return ToolResult(tool=call.name, output={"success": True, "output": found})

        return drafted("Forget the note about the exam.", result_of)

    assert holds(1)[0] == "NOT FOUND: Note 1 is forgotten."
    assert holds(1)[1][-1].arguments == {"func": "delete", "data": "1"}
    assert holds(0)[0] == "NOT FOUND: There is no such note in this conversation."
    draft, calls = holds(2)
    assert draft == "NOT FOUND: Note 1: “exam 1”. Note 2: “exam 2”. Notes prove nothing of the video."
    assert [call.arguments["func"] for call in calls] == ["search"]


def test_what_fails_says_why() -> None:
    failure = ToolFailure(kind="unavailable", message="It is not here.", remedy="Install it.")
    for question in (
        "What are my notes?",
        "Search the web for domes.",
        "Run `print(1)`",
        "Translate “sí” from Spanish to English",
        "Translate what is said into English.",
    ):
        draft, _ = drafted(question, lambda call: ToolResult(tool=call.name, failure=failure))
        assert draft == "NOT FOUND: It is not here. Install it."


def test_notes_of_a_thread_are_kept_found_and_forgotten(small_workspace: Workspace) -> None:
    asker = Asker(small_workspace)

    def ask(question: str) -> str:
        answer = asker.ask(["talk.mp4"], question, thread="notes-of-rules")
        assert (answer.status, answer.citations) == ("abstained", ())
        return answer.answer

    assert "Kept as note" in ask("Remember that it was the blue kettle we wanted.")
    assert "“it was the blue kettle we wanted.”. Notes prove nothing" in ask("What did I note about the kettle?")
    assert "is forgotten" in ask("Forget the note about the kettle")
    assert "no such note" in ask("What are my notes?")


@pytest.mark.slow
def test_code_is_run_and_its_output_is_no_proof(small_workspace: Workspace) -> None:
    answer = Asker(small_workspace).ask(["talk.mp4"], "Run this code: `print(6 * 7)`")
    assert (answer.status, answer.claims) == ("abstained", ())
    assert "Of the video nothing was asked. stdout: “42”." in answer.answer


def test_the_web_is_searched_on_request_and_is_no_proof(small_workspace: Workspace) -> None:
    page = {"title": "Kettles", "content": "A kettle boils water.", "url": "https://kettle.example/"}
    with searxng_server(finds(page)) as server:
        workspace = Workspace(small_workspace.library.root, load(overrides=[f"web.searxng_url={server.url}"]))
        asker = Asker(workspace)
        answer = asker.ask(["talk.mp4"], "Search the web for kettles.")
        asker.ask(["talk.mp4"], "What does the blue kettle cost?")
    assert answer.status == "abstained"
    assert "prove nothing of it, say: “Kettles: A kettle boils water.” (https://kettle.example/)." in answer.answer
    assert [query["q"] for query in server.queries] == [["kettles"]]


def test_a_formula_of_the_demo_is_worked_out(demo_asker: Asker, demo_video: Path) -> None:
    answer = demo_asker.ask([str(demo_video)], "What is the result of the formula on the slide?")
    assert answer.status == "answered"
    assert "gives 500." in answer.answer
    assert [citation.start for citation in answer.citations] == [pytest.approx(53, abs=1)]
