"""Questions of number that only the picture answers."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.claims import check_draft
from longtake.agent.rules.counting import what_to_count
from longtake.agent.rules.moves import Call
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolFailure, ToolResult


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How many different people come to the table over the whole video?", "different people"),
        ("How many vehicles drive through in total?", "different vehicles"),
        ("How many red circles are there at 0:10?", "red circles"),
        ("Is there ever more than one person in view at the same time?", "person"),
        ("What does the kettle cost?", None),
    ],
)
def test_what_is_counted(question: str, query: str | None) -> None:
    assert what_to_count(question) == query


def counted(number: int, name: str = "person") -> tuple[ToolResult, tuple[Evidence, ...]]:
    seen = tuple(
        Evidence(
            video="v",
            span=TimeSpan(start=place, end=place),
            modality="visual",
            content=f"{name} {place} of {number}",
            engine="e",
        )
        for place in range(1, number + 1)
    )
    notes = () if number else (f"no {name} in 30 pictures from 00:00:00-00:01:00",)
    return ToolResult(tool="count_objects", output={"object": name, "count": number}, evidence=seen, notes=notes), seen


def answered(question: str, *results: ToolResult) -> tuple[str, list[Call]]:
    """The draft where counting gives these results, one after the other and then the last again, and the calls."""
    waiting = list(results)

    def result_of(call: Call) -> ToolResult:
        if call.name != "count_objects":
            return ToolResult(tool=call.name)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return drafted(question, result_of, seconds=60.0)


def test_a_count_says_what_it_is_of_and_is_a_claim_that_its_evidence_holds() -> None:
    result, seen = counted(3)
    draft, calls = answered("How many people come to the table?", result)
    assert draft == "3 × person: “person 1 of 3” [00:00:01][00:00:02][00:00:03]"
    assert calls[-1] == Call("count_objects", {"timestamp": [0.0, 60.0], "object_query": "different people"})
    assert [claim.verdict for claim in check_draft(draft, seen).claims] == ["supported"]
    wrong = draft.replace("3 × person:", "4 × person:")
    assert [claim.verdict for claim in check_draft(wrong, seen).claims] != ["supported"]


@pytest.mark.parametrize(
    ("number", "start"), [(1, "No, at most 1 × person at once"), (2, "Yes, at most 2 × person at once")]
)
def test_more_than_one_gets_a_yes_or_no(number: int, start: str) -> None:
    draft, _ = answered("Is there ever more than one person in view?", counted(number)[0])
    assert draft.startswith(start)


def test_what_comes_and_goes_is_counted_also_where_its_kind_cannot_be_told() -> None:
    unknown = ToolResult(tool="count_objects", failure=ToolFailure(kind="unavailable", message="No engine for people."))
    result, seen = counted(6, "moving thing")
    draft, calls = answered("How many different people come to the table?", unknown, result)
    assert calls[-1].arguments["object_query"] == "different moving things"
    assert draft.startswith("6 × moving thing (what each is, the engine cannot tell): “moving thing 1 of 6” [00:00:01]")
    assert [claim.verdict for claim in check_draft(draft, seen).claims] == ["supported"]


def test_what_cannot_be_counted_is_an_abstention_with_the_reason() -> None:
    failure = ToolFailure(kind="unavailable", message="The embedded engine cannot tell vehicles.", remedy="owlv2 can.")
    draft, _ = answered("How many vehicles drive through?", ToolResult(tool="count_objects", failure=failure))
    assert draft == "NOT FOUND: The embedded engine cannot tell vehicles. owlv2 can."
    none, _ = answered("How many people come to the table?", counted(0)[0])
    assert none == "NOT FOUND: no person in 30 pictures from 00:00:00-00:01:00"
