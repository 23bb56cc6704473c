"""Questions of number that only the picture answers."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.claims import check_draft
from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done
from longtake.agent.rules.sight.counting import count_seen, what_to_count
from longtake.agent.verdicts import Grounds
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolFailure, ToolResult

MEASURED = Grounds(measured=True)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How many different people come to the table over the whole video?", "different people"),
        ("How many vehicles drive through in total?", "different vehicles"),
        ("How many red circles are there at 0:10?", "red circles"),
        ("Is there ever more than one person in view at the same time?", "person"),
        ("What is the number of red circles?", "red circles"),
        ("What is the number of visitors?", None),
        ("What does the kettle cost?", None),
    ],
)
def test_what_is_counted(question: str, query: str | None) -> None:
    assert what_to_count(question) == query


def counted(number: int, name: str = "person", seconds: float = 60.0) -> tuple[ToolResult, tuple[Evidence, ...]]:
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
    result = ToolResult(
        tool="count_objects",
        output={"object": name, "count": number},
        evidence=seen,
        looked_at=(TimeSpan(start=0, end=seconds),),
        notes=notes,
    )
    return result, seen


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
    assert [claim.verdict for claim in check_draft(draft, seen, MEASURED).claims] == ["supported"]
    wrong = draft.replace("3 × person:", "4 × person:")
    assert [claim.verdict for claim in check_draft(wrong, seen, MEASURED).claims] != ["supported"]


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
    assert [claim.verdict for claim in check_draft(draft, seen, MEASURED).claims] == ["supported"]


def test_what_cannot_be_counted_is_an_abstention_with_the_reason() -> None:
    failure = ToolFailure(kind="unavailable", message="The embedded engine cannot tell vehicles.", remedy="owlv2 can.")
    draft, _ = answered("How many vehicles drive through?", ToolResult(tool="count_objects", failure=failure))
    told = "Nothing said or written tells the number."
    assert draft == f"NOT FOUND: {told} The embedded engine cannot tell vehicles. owlv2 can."
    none, _ = answered("How many people come to the table?", counted(0)[0])
    assert none == "NOT FOUND: No person in 30 pictures from 00:00:00-00:01:00."


def test_a_count_of_a_part_of_the_time_is_no_answer() -> None:
    part, _ = counted(2, seconds=30.0)
    gap = "NOT FOUND: Of 00:00:00-00:01:00 what was looked at is 00:00:00-00:00:30."
    draft, _ = answered("How many people come to the table?", part)
    assert draft == f"{gap} What was looked at shows 2 × person."
    assert answered("Is there ever more than two person in view?", part)[0] == gap
    draft, _ = answered("Is there ever more than one person in view?", part)
    assert draft.startswith("Yes, at least 2 × person at once: ")
    assert [claim.verdict for claim in check_draft(draft, part.evidence, MEASURED).claims] == ["supported"]


def of_two_videos(question: str, first: ToolResult, second: ToolResult) -> str:
    orientation = Orientation(
        question=question,
        kind="count",
        parts=(question,),
        videos={"v": 60.0, "w": 60.0},
        names={"v": "one.mp4", "w": "two.mp4"},
    )
    done: list[Done] = []
    while isinstance(move := count_seen(orientation, done), list):
        results = {"v": first, "w": second}
        empty = ToolResult(tool="cross_modal_search")
        done += [Done(call, results.get(str(call.arguments.get("video")), empty)) for call in move]
    return move


def test_over_two_videos_different_things_add_up_and_things_at_once_do_not() -> None:
    two, three = counted(2)[0], counted(3)[0]
    other = tuple(item.model_copy(update={"video": "w", "id": f"w{item.id}"}) for item in three.evidence)
    three = three.model_copy(update={"evidence": other})
    assert of_two_videos("How many people come to the table?", two, three).startswith("5 × person: ")
    assert of_two_videos("How many people are at the table?", two, three).startswith("3 × person: ")
    draft = of_two_videos("Is there ever more than three person in view?", two, three)
    assert draft.startswith("No, at most 3 × person at once: ")
    failed = ToolResult(tool="count_objects", failure=ToolFailure(kind="timeout", message="It took too long."))
    draft = of_two_videos("How many people come to the table?", two, failed)
    assert draft == "NOT FOUND: It took too long. What was looked at shows 2 × person."


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How many red circles are there?", "different red circle"),
        ("Count the red circles that cross the picture.", "different moving red circle"),
        ("How many red circles are there at once?", "red circles"),
        ("How many red balls are there?", "red balls"),
    ],
)
def test_all_shapes_that_are_ever_seen_are_meant(question: str, query: str) -> None:
    _, calls = answered(question, counted(2, "red circle")[0])
    assert calls[-1].arguments["object_query"] == query
