"""Names of subjects: given, or worked out from a specification."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.console import Session
from longtake.errors import ConfigError
from longtake.evalharness.runs.run_folder import RunCard
from longtake.evalharness.subjects.names import NamedSubject, named
from longtake.evalharness.subjects.subject_table import card_of_subjects, subject_named

URL = "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("given", "name", "spec"),
    [
        ("random", "random", "random"),
        (f"good=model:m@{URL}?frames=4", "good", f"model:m@{URL}?frames=4"),
        ("GPT 4o=random", "GPT 4o", "random"),
        (f"model:m@{URL}?frames=4", f"model:m@{URL}?frames=4", f"model:m@{URL}?frames=4"),
        ("replies:a=b.jsonl", "replies:a=b.jsonl", "replies:a=b.jsonl"),
        (
            f"model:m@{URL}?input_price=1&output_price=4",
            f"model:m@{URL}",
            f"model:m@{URL}?input_price=1&output_price=4",
        ),
        (
            f"model:m@{URL}?input_price=1&frames=4&output_price=2",
            f"model:m@{URL}?frames=4",
            f"model:m@{URL}?input_price=1&frames=4&output_price=2",
        ),
    ],
)
def test_a_subject_has_a_name_and_a_specification(given: str, name: str, spec: str) -> None:
    assert named(given) == NamedSubject(name, spec)


def card(*given: str) -> RunCard:
    return card_of_subjects(given, Session(), "own", Path("x"))


def test_a_subject_is_called_by_its_name() -> None:
    assert [subject_named(given, [], Session()).name for given in ("r=random", "random")] == ["r", "random"]


def test_the_card_keeps_the_specifications() -> None:
    priced = f"model:m@{URL}?input_price=1"
    made = card("r=random", priced, "longest")
    assert made.subjects == ("r", f"model:m@{URL}", "longest")
    assert made.specs == {"r": "random", f"model:m@{URL}": priced}
    assert made.given == ("r=random", priced, "longest")


def test_a_name_stands_for_one_subject_and_a_price_changes_none() -> None:
    assert card("a=random").differing(card("a=longest")) == ["what a is"]
    assert card(f"model:m@{URL}?input_price=1").differing(card(f"model:m@{URL}?input_price=2")) == []
    assert card(f"a=model:m@{URL}").differing(card(f"a=model:m@{URL}?output_price=2")) == []
    cheap, dear = (Session(overrides=(f"controller.price.input={price}",)) for price in (1, 2))
    assert not card_of_subjects(["agent"], cheap, "own", Path("x")).differing(
        card_of_subjects(["agent"], dear, "own", Path("x"))
    )
    with pytest.raises(ConfigError, match="Two subjects are called a"):
        card("a=random", "a=longest")
