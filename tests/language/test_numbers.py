"""Numbers and amounts in one spelling."""

from __future__ import annotations

import pytest

from longtake.language.amounts import Amount, amounts
from longtake.language.numbers import figures, in_digits, plain_number


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("forty-two kettles and two lamps", "42 kettles and 2 lamps"),
        ("two hundred", "200"),
        ("1.5 million", "1500000"),
        ("2 hundred thousand", "200000"),
        ("a thirty-year-old", "a 30-year-old"),
        ("forty\ntwo", "40\n2"),
        ("first and second", "first and second"),
        ("the twenty-first", "the 21st"),
        ("hundreds of people", "hundreds of people"),
        ("the one by the door has one key", "the one by the door has 1 key"),
        ("room B12", "room B12"),
    ],
)
def test_every_number_is_written_in_digits(text: str, digits: str) -> None:
    assert in_digits(text) == digits


def test_small_numbers_keep_their_word_where_only_large_ones_are_read() -> None:
    assert figures("one of forty") == "one of 40"


@pytest.mark.parametrize(
    ("written", "plain"),
    [("1,250", "1250"), ("1,250.50", "1250.5"), ("2,5", "2.5"), ("3.0", "3"), ("09:30", "9:30"), ("1.2.30", "1.2.30")],
)
def test_equal_numbers_have_one_spelling(written: str, plain: str) -> None:
    assert plain_number(written) == plain


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It costs $45.00.", {Amount("45", "dollar")}),
        ("ten million euros", {Amount("10000000", "euro")}),
        ("¥500 or 500 yen", {Amount("500", "yen")}),
        ("it took 20 ms at 5 kHz", {Amount("20", "millisecond"), Amount("5", "kilohertz")}),
        ("−3 °C and 50%", {Amount("-3", "°c"), Amount("50", "%")}),
        ("3 x 4", {Amount("3", ""), Amount("4", "")}),
        ("room B12", set()),
    ],
)
def test_an_amount_is_a_number_and_its_unit(text: str, found: set[Amount]) -> None:
    assert amounts(text) == found
