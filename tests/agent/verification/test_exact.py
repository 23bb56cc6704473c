"""What is exact is checked exactly: calculations come out, and quotation marks quote."""

from __future__ import annotations

import pytest

from longtake.agent.verification.judge import derived, misquoted, wrong_equation

SPOKEN = "Well, the blue kettle costs 249 dollars, and that is that for today."
TABLE = "Quarry Lane · 24 · 24 / Harbour · 36 · 30"
SOURCES = [SPOKEN, TABLE, "thewhole gardenis green in May"]


@pytest.mark.parametrize(
    "statement",
    [
        "It went up by 249 - 99 = 150 dollars.",
        "Two of them make 2 x 45 = 90 dollars, or $2 × 45 = $90.",
        "45 dollars + 54 dollars = 99 dollars",
        "45 + 54 makes 99.",
        "It grew by (36 - 30) / 30 = 20%.",
        "30/24 = 1.25, so 30 / 24 = 125 %",
        "30/24 ≈ 1.3 and 7 / 3 = 2.33 and 100/3 = 33",
        "1,200 + 300 = 1,500 and 1,200 + 300 = 1500",
        "1.200 + 300 = 1.500 Euro",
        "12,5 + 1 = 13,5",
        "€1.50 + €2.50 = €4.00",
        "20% x 50 = 10, and 50 * 20% = 10, and 100 + 20% = 120",
        "2003-2005 = 2 years",
        "−5 + 7 = 2 and 2^3 + 1 = 9",
        "2 hours + 30 min = 2.5 hours, 60 min + 30 min = 1.5 hours",
        "It has no numbers: x = y.",
        "1/0 = 3",
        "By Pythagoras 3² + 4² = 25, so 3² + 4² = 5².",
        "He solves 2y + 3 = 7, so y is 2.",
        "log 100 + 1 = 3, and cos 60 + 0.5 = 1",
        "11 / 4 = 2 remainder 3, and 7 + 8 = 3 (mod 12)",
        "22 + 4 = 2 o'clock",
    ],
)
def test_a_calculation_that_comes_out_is_right_however_it_is_written(statement: str) -> None:
    assert wrong_equation(statement) is None


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        ("It went up by 249 - 99 = 160 dollars.", "249 - 99 is 150, not 160"),
        ("45 + 54 equals 100 in all.", "45 + 54 is 99, not 100"),
        ("3 kg + 4 kg = 8 kg", "3 kg + 4 kg is 7, not 8"),
        ("It grew by (36-30)/30 = 25%.", "(36-30)/30 is 0.2, not 25%"),
        ("7 / 3 = 2.4", "7 / 3 is 2.33333, not 2.4"),
        ("1,200 + 300 = 1,600", "1,200 + 300 is 1500, not 1,600"),
        ("$2 × 45 = $99", "$2 × 45 is 90, not $99"),
        ("2 + 3 = 6 and 10 + 5 = 15", "2 + 3 is 5, not 6"),
        ("It is 5m + 3m = 9m long", "5m + 3m is 8, not 9"),
        ("249 - 99 = 150 dollars, and 10 + 5 = 16.", "10 + 5 is 15, not 16"),
    ],
)
def test_a_calculation_that_does_not_come_out_is_told_with_its_result(statement: str, wrong: str) -> None:
    assert wrong_equation(statement) == wrong


@pytest.mark.parametrize(
    "statement",
    [
        "He says “the blue kettle costs 249 dollars”.",
        'She is told "The Blue Kettle costs 249 Dollars!"',
        "“the blue kettle … for today”",
        "“the blue kettle [...] that is that”",
        "The row reads “Quarry Lane | 24 | 24”, then “Harbour · 36 · 30”.",
        "The sign says “the whole garden is green”.",
        "“Well, the blue kettle cost 249 dollars, and that is that”",
        "Nobody says “red kettle” here.",
        "The kettle is 249 dollars, as he says.",
        'It is {"shown": "1:30-2:20"}.',
        'It is a 12" record beside a 7" single.',
    ],
    ids=[
        *("words", "case", "ellipsis", "brackets", "rows", "joined", "a slip", "two words", "no quotation", "times"),
        "inches",
    ],
)
def test_what_is_quoted_is_there(statement: str) -> None:
    assert misquoted(statement, SOURCES) is None


@pytest.mark.parametrize(
    "quote",
    [
        "the red kettle costs 249 dollars",
        "the blue kettle costs 248 dollars",
        "Well, the blue kettle costs 248 dollars, and that is that for today",
        "the blue kettle ... is sold out already",
        "a garden that is green",
    ],
)
def test_what_is_not_there_is_no_quotation(quote: str) -> None:
    assert misquoted(f"He says “{quote}” to us.", SOURCES) == quote


@pytest.mark.parametrize(
    ("statement", "how"),
    [
        ("It rose from 99 to 249 dollars, by 150.", ["249 - 99 = 150"]),
        ("It grew from 30 to 36, which is 20 %.", ["(36 - 30) / 30, in percent = 20"]),
        ("It costs 249 dollars.", []),
        ("Five visitors, 5, between 0:07 and 0:12.", []),
        ("02:04-02:24: Building began in 1847, when he was 29.", []),
    ],
)
def test_how_a_number_follows_from_others_that_are_named_is_told_to_the_judge(statement: str, how: list[str]) -> None:
    assert derived(statement, ["once 99 or 30", "now 249 or 36"]) == how
