"""One reading of what abstains serves the checks and the choice of an option."""

from __future__ import annotations

import pytest

from longtake.evalharness.judges.checks import abstains
from longtake.evalharness.scoring.choices import read_choice

CANNOT_TELL = (
    "That is not shown.",
    "It isn't visible.",
    "I cannot identify it.",
    "It is not possible to tell.",
    "I have no idea.",
    "There is no way to know.",
    "The video does not provide this information.",
    "It's unclear.",
    "Nothing is said about it.",
    "I am unable to answer.",
    "There is not enough evidence.",
)
TELLS = ("It is a lantern.", "The lantern isn't red.", "Not the cat but the lantern.", "They show a lantern.")
OPTIONS = ("a lantern", "a cat", "a bridge", "a wheel")


@pytest.mark.parametrize("reply", CANNOT_TELL)
def test_a_reply_that_cannot_tell_abstains(reply: str) -> None:
    assert abstains(reply).met
    assert read_choice(reply, OPTIONS).status == "abstained"


@pytest.mark.parametrize("reply", TELLS)
def test_a_reply_that_tells_does_not(reply: str) -> None:
    assert not abstains(reply).met
    assert read_choice(reply, OPTIONS).status != "abstained"
