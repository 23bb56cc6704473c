"""Claims that a question puts up as true or false."""

from __future__ import annotations

import pytest

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.claimed import by_claim
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

LINES = (
    "A cart moves upwards.",
    "The shop opens at nine.",
    "The gate is closed.",
    "A boat moves up.",
    "A boat moves down.",
)


def decided(question: str, *options: str) -> str | None:
    ranked = []
    for text in LINES:
        evidence = Evidence(
            video="v", span=TimeSpan(start=0, end=1), modality="speech", content=text, score=1.0, engine="test"
        )
        ranked.append((Candidate(evidence, (evidence,), 0.5), 0.5))
    found = by_claim(question, options, ranked)
    return found[0].text if found else None


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("I'm sure about this: The cart moves upwards. Is that true or false?", True),
        ("I'm sure about this: The cart moves downwards. Is that true or false?", False),
        ("The shop opens at nine. Right?", True),
        ("The shop opens at ten.", False),
        ("The gate is open.", False),
        ("The baker sings.", None),
        ("Is the gate closed?", None),
        ("The boat moves up.", None),
    ],
)
def test_a_claim_is_true_or_false_if_the_lines_agree(question: str, right: bool | None) -> None:
    for yes, no in (("True", "False"), ("Yes", "No")):
        expected = None if right is None else yes if right else no
        assert decided(question, yes, no) == expected
        assert decided(question, no, "I can't tell", yes) == expected


def test_options_that_are_no_yes_and_no_decide_nothing() -> None:
    assert decided("The shop opens at nine.", "True", "Perhaps") is None
    assert decided("The shop opens at nine.") is None
