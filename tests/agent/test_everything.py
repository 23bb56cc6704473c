"""Questions that want everything are answered from all that is there, not from the best hits."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.rules.moves import Call
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolFailure, ToolResult

READERS = {"transcribe_speech": "speech", "extract_scene_text": "scene_text"}


def piece(content: str, start: float, modality: Modality = "scene_text", *, trusted: bool = True) -> Evidence:
    span = TimeSpan(start=start, end=start + 2)
    return Evidence(video="v", span=span, modality=modality, content=content, engine="e", trusted=trusted)


def answered(question: str, *held: Evidence, total: str = "") -> tuple[str, list[Call]]:
    """The draft where the tools find what is held in the span of their call, and the calls."""
    return drafted(question, lambda call: _result(call, held, total))


def _result(call: Call, held: tuple[Evidence, ...], total: str) -> ToolResult:
    if call.name == "calculator":
        return ToolResult(tool=call.name, output={"result": total})
    if call.name == "detect_audio_events":
        return ToolResult(tool=call.name, evidence=tuple(item for item in held if item.modality == "audio"))
    if call.name not in READERS:
        return ToolResult(tool=call.name, failure=ToolFailure(kind="unavailable", message="Not here."))
    start, end = call.arguments["timestamp"]
    found = (item for item in held if item.modality == READERS[call.name] and start <= item.span.start < end)
    return ToolResult(tool=call.name, evidence=tuple(found), looked_at=(TimeSpan(start=start, end=end),))


PRICES = (piece("Kettle $249", 10), piece("Lamp $12", 40), piece("Opening hours", 50), piece("Chair $30.50", 80))


def test_a_list_holds_every_piece_of_the_kind_and_reads_the_whole() -> None:
    draft, calls = answered("List all the prices shown.", *PRICES)
    assert draft == "“Kettle $249” [00:00:10] “Lamp $12” [00:00:40] “Chair $30.50” [00:01:20]"
    assert {call.name for call in calls} <= set(READERS)
    assert all(call.arguments["timestamp"] == [0.0, 100.0] for call in calls)


def test_a_long_list_says_how_many_more_there_are() -> None:
    draft, _ = answered("List every price.", *(piece(f"Item {n} for ${n}", n) for n in range(1, 51)))
    assert draft.count("“") == 40
    assert draft.endswith(" and 10 more")


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Does anyone ever mention the heron?", "Yes: “The heron is back.” [00:00:20]"),
        ("Does anyone ever mention the giraffe?", "NOT FOUND"),
    ],
)
def test_whether_there_ever_is(question: str, start: str) -> None:
    draft, _ = answered(question, piece("The heron is back.", 20, "speech"), piece("Thank you.", 30, "speech"))
    assert draft.startswith(start)


def test_a_total_is_worked_out_by_the_calculator() -> None:
    draft, calls = answered("What is the total of the prices shown?", *PRICES, total="291.5")
    assert calls[-1] == Call("calculator", {"expression": "249 + 12 + 30.50"})
    assert draft == (
        "249 + 12 + 30.50 = 291.5. “Kettle $249” [00:00:10] “Lamp $12” [00:00:40] “Chair $30.50” [00:01:20]"
    )


def test_a_total_is_of_amounts_and_cites_the_pieces_added_alone() -> None:
    date, phone = piece("12 March 2025", 39), piece("Phone 555-0199", 90)
    assert "March" not in answered("What is the total of the prices shown?", date, *PRICES, total="291.5")[0]
    assert answered("What is the total of all phone numbers?", phone)[0].startswith("NOT FOUND: Amounts of money")


def test_equal_amounts_of_different_things_all_count_and_what_is_said_of_one_counts_once() -> None:
    held = (piece("Tea $5", 10), piece("Cake $5", 20), piece("Tea costs five dollars.", 30, "speech"))
    _, calls = answered("What do all the prices add up to?", *held, total="10")
    assert calls[-1] == Call("calculator", {"expression": "5 + 5"})


@pytest.mark.parametrize(
    ("held", "reason"),
    [
        (("Tea $5", "Cake €10"), "The amounts are in several currencies."),
        (("Nothing here",), "No amount is said or written there."),
    ],
)
def test_a_total_that_cannot_be_told_is_left_open(held: tuple[str, ...], reason: str) -> None:
    draft, _ = answered("What is the total of the prices?", *(piece(text, 10 * n) for n, text in enumerate(held)))
    assert draft == f"NOT FOUND: {reason}"


def test_an_amount_that_is_told_in_two_ways_is_not_added() -> None:
    held = (piece("Tea $5", 10), piece("Cake $3", 20), piece("Tea costs six dollars.", 30, "speech"))
    draft, _ = answered("What is the total of the prices?", *held)
    assert draft.startswith(
        "NOT FOUND: What is said and what is written may tell one amount differently: “Tea costs six"
    )


def test_a_total_that_is_told_is_quoted_and_others_amounts_are_not_added_to_it() -> None:
    held = (piece("The total cost of the project is 500 dollars.", 10, "speech"), piece("Each desk costs $20", 20))
    draft, _ = answered("What is the total cost of the project?", *held)
    assert draft == "“The total cost of the project is 500 dollars.” [00:00:10]"
    invoice = (piece("Invoice 2041", 5), piece("Total 80 EUR", 5))
    assert answered("What is the total of the invoice?", *invoice)[0] == "“Total 80 EUR” [00:00:05]"
    assert answered("What is the total population of Oslo?", *invoice)[0].startswith("NOT FOUND")


@pytest.mark.parametrize(
    "line", ["If the bank failed, we would move.", "Did the bank fail?", "The bank might fail next year."]
)
def test_what_only_may_be_is_no_yes(line: str) -> None:
    assert answered("Does anyone ever say that the bank failed?", piece(line, 20, "speech"))[0].startswith("NOT FOUND")


def test_a_total_before_something_counts_all_that_comes_before_it() -> None:
    applause = piece("applause-like sound", 60, "audio")
    _, calls = answered("What is the total of the prices shown before the applause?", *PRICES, applause, total="261")
    assert calls[-1].arguments == {"expression": "249 + 12"}


def test_what_is_not_trusted_is_neither_listed_nor_added() -> None:
    rumour = piece("It costs $99", 20, "speech", trusted=False)
    assert "99" not in answered("List all the prices.", rumour)[0]
    assert answered("What is the total of the prices?", rumour)[0].startswith("NOT FOUND")
