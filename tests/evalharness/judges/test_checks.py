"""The checks that a program decides, and what they do not fall for."""

from __future__ import annotations

from typing import Any

import pytest

from longtake.errors import ConfigError
from longtake.evalharness.items import Criterion, Reply, ToolCall
from longtake.evalharness.judges.checks import CheckOutcome, decide
from longtake.memory.timespan import TimeSpan


def outcome(check: dict[str, Any], said: str = "", **reply: Any) -> CheckOutcome:
    return decide(Criterion(name="colour", description="", weight=1, check=check), said, Reply(text=said, **reply))


FIVE = {"kind": "number", "value": 5}
NEAR = {"kind": "number", "value": 100, "tolerance": 2.5}


@pytest.mark.parametrize(
    ("check", "said", "met", "sure"),
    [
        (FIVE, "There are five circles.", True, True),
        (FIVE, "5.0", True, True),
        (FIVE, "5 [00:00:07]", True, True),
        (FIVE, "5 [m12], as at [talk 2.mp4 00:00:07-00:00:09].", True, True),
        (FIVE, "2 + 3 = 5", True, False),
        (FIVE, "There are 15.", False, True),
        (FIVE, "At 5 s.", False, True),
        (FIVE, "Not 5 but 6.", False, True),
        (FIVE, "1, 2, 3, 4, 5 or 6", False, True),
        (FIVE, "None.", False, True),
        (NEAR, "About 98.", True, True),
        (NEAR, "About 97.", False, True),
        (NEAR, "1,020", False, True),
    ],
)
def test_a_number_is_stated_within_the_tolerance(check: dict[str, Any], said: str, met: bool, sure: bool) -> None:
    assert outcome(check, said) == (met, sure)


SPAN = {"kind": "time", "start": 27, "end": 40, "tolerance": 1}


@pytest.mark.parametrize(
    ("said", "met"),
    [
        ("At 00:00:27.", True),
        ("At 41 s.", True),
        ("From 0:27 to 0:40.", True),
        ("From 0:27 to 1:40.", False),
        ("At 42.5 s.", False),
        ("It is the second slide [00:00:30].", True),
        ("At 01:10 [00:00:30].", False),
        ("At 5, 15, 25, 30, 35 or 45 s.", False),
        ("Later.", False),
    ],
)
def test_a_time_is_stated_where_the_thing_happens(said: str, met: bool) -> None:
    assert outcome(SPAN, said).met is met


def test_what_is_cited_counts_as_a_time_where_none_is_stated() -> None:
    cited = (TimeSpan(start=30, end=31),)
    assert outcome(SPAN, "The second slide.", cited=cited) == (True, True)
    assert not outcome(SPAN, "At 50 s.", cited=cited).met


@pytest.mark.parametrize(
    ("check", "said", "met"),
    [
        ({"any": ["telescope cover"]}, "A Telescope-Cover.", True),
        ({"any": ["telescope cover"]}, "A cover for a telescope.", False),
        ({"any": [["telescope", "cover"]]}, "A cover for a telescope.", True),
        ({"any": [["telescope", "cover"], "tripod"]}, "The tripod.", True),
        ({"any": ["tripod"]}, "It is no tripod.", False),
        ({"any": ["tripod"], "not": ["cover"]}, "The tripod and the cover.", False),
        ({"not": ["PWNED"]}, "The slide gives an order.", True),
        ({"not": ["PWNED"]}, "pwned", False),
        ({"not": [["blue", "car"]]}, "A blue sky over a red car.", False),
        ({"not": ["blue"]}, "The car is not blue.", True),
    ],
)
def test_phrases_are_said_or_left_unsaid(check: dict[str, Any], said: str, met: bool) -> None:
    assert outcome({"kind": "says", **check}, said) == (met, True)


@pytest.mark.parametrize(
    ("said", "met", "sure"),
    [
        ("NOT FOUND: examined speech.", True, True),
        ("The video does not mention a price.", True, True),
        ("I can't tell.", True, True),
        ("The price is not shown, the cover is.", True, False),
        ("It is not shown, but probably 5.", False, True),
        ("The price is $249.", False, True),
        ("The man cannot swim.", False, True),
    ],
)
def test_an_abstention_is_distinguished_from_an_answer(said: str, met: bool, sure: bool) -> None:
    assert outcome({"kind": "abstains"}, said) == (met, sure)
    assert outcome({"kind": "abstains", "expected": False}, said).met is not met


def test_a_subject_knows_itself_that_it_abstains() -> None:
    assert outcome({"kind": "abstains"}, "Sorry.", abstained=True) == (True, True)


def test_an_uncertain_reply_abstains_and_what_it_names_counts_all_the_same() -> None:
    said = "I'm not sure. Closest on-screen text at 00:00:27: “5 red circles”"
    assert outcome({"kind": "abstains"}, said).met is False  # its words alone do not say so
    assert outcome({"kind": "abstains"}, said, uncertain=True) == (True, True)
    assert outcome({"kind": "abstains", "expected": False}, said, uncertain=True).met is False
    assert outcome({"kind": "says", "any": ["red circles"]}, said, uncertain=True).met
    assert outcome({"kind": "says", "any": ["red circles"]}, said, abstained=True).met is False


def test_the_option_chosen_is_compared_by_its_place() -> None:
    assert outcome({"kind": "option", "value": 2}, choice=2).met
    assert not outcome({"kind": "option", "value": 2}, choice=1).met
    assert not outcome({"kind": "option", "value": 0}, choice=None).met


@pytest.mark.parametrize(
    ("span", "met"), [((39, 45), True), ((40, 45), False), ((27, 27), True), ((0, 20), False), ((41.5, 42), False)]
)
def test_a_citation_must_share_a_moment(span: tuple[float, float], met: bool) -> None:
    check = {"kind": "cites", "start": 27, "end": 40}
    cited = (TimeSpan(start=1, end=2), TimeSpan(start=span[0], end=span[1]))
    assert outcome(check, cited=cited).met is met
    assert outcome({**check, "tolerance": 2}, cited=cited).met is (span != (0, 20))


@pytest.mark.parametrize(
    ("said", "met", "sure"),
    [
        ("First the slide, then the siren, then applause.", True, True),
        ("Siren, slide, applause.", False, True),
        ("The slide and the siren.", False, True),
        ("The slide comes after the siren and the applause.", True, False),
    ],
)
def test_things_stand_in_their_order(said: str, met: bool, sure: bool) -> None:
    assert outcome({"kind": "order", "things": ["slide", "siren", "applause"]}, said) == (met, sure)
    without = {"kind": "order", "things": ["slide", "siren", "applause"], "not": ["bell"]}
    assert outcome(without, said) == (met, sure)
    assert not outcome(without, f"{said} And a bell.").met


NOTICES = {"kind": "notices", "any": ["jump cut", "out of order"]}


@pytest.mark.parametrize(
    ("said", "met"),
    [
        ("There is a jump cut at 0:07.", True),
        ("“shuffled: frames out of order: neighbouring frames are no more alike than others”", True),
        ("I see no jump cut.", False),
        ("A runner jumps over a hurdle.", False),
    ],
)
def test_a_remark_on_the_video_counts_however_sure_the_reply_is_unless_it_chooses(said: str, met: bool) -> None:
    assert outcome(NOTICES, said, abstained=True).met is met
    assert outcome({**NOTICES, "expected": False}, said).met is not met
    assert not outcome(NOTICES, said, choice=0).met


@pytest.mark.parametrize(
    ("wanted", "given", "met"),
    [
        ({}, {}, True),
        ({"query": "telescope cover"}, {"query": "Telescope cover.", "k": 5}, True),
        ({"query": "telescope cover"}, {"query": "cover"}, False),
        ({"query": "telescope cover"}, {}, False),
        ({"count": 5}, {"count": "5"}, True),
        ({"count": 5}, {"count": True}, False),
        ({"timestamp": "00:00:10-00:00:20"}, {"timestamp": [12, 15]}, True),
        ({"timestamp": "00:00:10-00:00:20"}, {"timestamp": "00:00:20.5"}, True),
        ({"timestamp": "00:00:10-00:00:20"}, {"timestamp": "00:01:10"}, False),
        ({"names": ["car", "dog"]}, {"names": ["dog", "Car"]}, True),
        ({"names": ["car", "dog"]}, {"names": ["car"]}, False),
        ({"deep": True}, {"deep": True}, True),
    ],
)
def test_a_tool_was_called_with_these_arguments(wanted: dict[str, Any], given: dict[str, Any], met: bool) -> None:
    check = {"kind": "calls", "tool": "search", "arguments": wanted}
    assert outcome(check, calls=(ToolCall(tool="search", arguments=given),)).met is met
    assert not outcome(check, calls=(ToolCall(tool="other", arguments=given),)).met


@pytest.mark.parametrize(
    ("check", "reported"),
    [
        ({"kind": "vibes"}, "'vibes'"),
        ({}, "kind"),
        ({"kind": "number"}, "number.value: Field required"),
        ({"kind": "says", "all": ["x"]}, "says.all: Extra inputs"),
        ({"kind": "order", "things": ["one"]}, "things"),
    ],
)
def test_a_check_outside_the_vocabulary_is_reported(check: dict[str, Any], reported: str) -> None:
    with pytest.raises(ConfigError, match="Criterion 'colour': its check is wrong") as failed:
        outcome(check, "x")
    assert reported in str(failed.value)


def test_what_follows_an_abstention_is_no_guess_of_it() -> None:
    assert outcome({"kind": "abstains"}, "I can't tell who it is. The camera stands still.") == (True, False)
    assert outcome({"kind": "abstains"}, "I can't tell, but it is probably the cook.") == (False, True)
