"""Lines in reading order, and how long each stands."""

from __future__ import annotations

import pytest

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_engines import TextBox
from longtake.preprocess.layers.reading import lifetimes, lines_of, same_text

ASPECT = 16 / 9


def box(text: str, x: float, y: float, width: float = 0.2, height: float = 0.05, confidence: float = 0.95) -> TextBox:
    return TextBox(text, (x, y, width, height), confidence)


def texts(boxes: list[TextBox]) -> list[str]:
    return [line.text for line in lines_of(boxes, ASPECT)]


def spans(*readings: tuple[float, float, list[TextBox]]) -> list[tuple[str, float, float]]:
    shown = lifetimes((TimeSpan(start=start, end=end), lines) for start, end, lines in readings)
    return [(each.best.text, each.start, each.end) for each in shown]


def test_words_side_by_side_on_a_baseline_become_one_line_as_sure_as_its_weakest_word() -> None:
    words = [box("world", 0.32, 0.102, confidence=0.9), box("Hello", 0.1, 0.1)]
    assert lines_of(words, ASPECT) == [TextBox("Hello world", (0.1, 0.1, 0.42, 0.052), 0.9)]


def test_a_wide_gap_or_another_size_of_letters_keeps_texts_apart() -> None:
    assert texts([box("left", 0.1, 0.1), box("right", 0.6, 0.1)]) == ["left", "right"]
    assert texts([box("small", 0.1, 0.12), box("LARGE", 0.31, 0.1, height=0.15)]) == ["LARGE", "small"]


def test_a_title_is_read_before_two_columns_and_the_columns_one_after_the_other() -> None:
    slide = [
        box("and nobody on the right saw", 0.6, 0.3),
        box("the other side at all", 0.1, 0.36),
        box("that it had begun to rain", 0.6, 0.36),
        box("TITLE", 0.2, 0.05, width=0.6, height=0.08),
        box("Those on the left saw", 0.1, 0.3),
    ]
    left = ["Those on the left saw", "the other side at all"]
    assert texts(slide) == ["TITLE", *left, "and nobody on the right saw", "that it had begun to rain"]


def test_a_table_is_read_row_by_row_however_tight_its_rows() -> None:
    table = [
        box(text, x, 0.2 + 0.055 * row + 0.004 * (column % 2))
        for column, (x, texts) in enumerate(((0.1, "Item Bread Milk"), (0.5, "2025 12 4"), (0.8, "2026 13 5")))
        for row, text in enumerate(texts.split())
    ]
    assert texts(table) == ["Item", "2025", "2026", "Bread", "12", "13", "Milk", "4", "5"]


def test_rows_set_apart_are_read_row_by_row() -> None:
    table = [box(f"{row}{column}", x, y) for column, x in (("a", 0.1), ("b", 0.6)) for row, y in ((1, 0.2), (2, 0.4))]
    assert texts(table) == ["1a", "1b", "2a", "2b"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Brandon Castellano", "Brandon Castellno"),
        ("Big Buck", "BigBuck"),
        ("ＷＨ．ＧＯＶ", "wh.gov"),
    ],
)
def test_wavering_readings_are_of_one_text(one: str, other: str) -> None:
    assert same_text(one, other)
    assert same_text(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("01:00:21:12", "01:00:21:13"),
        ("The price is $249", "The price is $248"),
        ("Chapter one: what we know", "Chapter two: what we know"),
        ("Interview with player A", "Interview with player B"),
        ("PRESENTS", "PRODUCES"),
    ],
)
def test_a_number_or_a_word_that_differs_makes_another_text(one: str, other: str) -> None:
    assert not same_text(one, other)


def test_a_text_stands_from_first_to_last_sight_and_keeps_its_surest_reading() -> None:
    first, second = box("Castellno", 0.1, 0.1, confidence=0.85), box("Castellano", 0.1, 0.11, confidence=0.99)
    assert spans((0, 1, [first]), (1, 2.5, [second]), (2.5, 4, [first])) == [("Castellano", 0, 4)]


def test_a_text_missed_in_one_picture_goes_on_but_one_that_was_away_comes_anew() -> None:
    line = box("Lost property", 0.1, 0.1)
    assert spans((0, 1, [line]), (1, 2, []), (2, 3, [line])) == [("Lost property", 0, 3)]
    assert spans((0, 1, [line]), (1, 4, []), (4, 5, [line])) == [("Lost property", 0, 1), ("Lost property", 4, 5)]


def test_equal_texts_at_two_places_are_two_texts() -> None:
    left, right = box("Goal", 0.1, 0.1), box("Goal", 0.7, 0.1)
    assert spans((0, 1, [left]), (1, 2, [left, right]), (2, 3, [right])) == [("Goal", 0, 2), ("Goal", 1, 3)]


def test_a_slide_that_grows_keeps_the_lines_that_were_there() -> None:
    one, two = box("First point", 0.1, 0.2), box("Second point", 0.1, 0.3)
    assert spans((0, 5, [one]), (5, 9, [one, two])) == [("First point", 0, 9), ("Second point", 5, 9)]


def test_a_word_at_another_place_on_the_next_slide_is_another_text() -> None:
    first = [box("Item", 0.1, 0.1), box("Lamps", 0.1, 0.3), box("Desks", 0.1, 0.4), box("Total", 0.1, 0.5)]
    second = [box("Item", 0.1, 0.1), box("Rent", 0.1, 0.3), box("Heat", 0.1, 0.4), box("Total", 0.1, 0.7)]
    assert [each for each in spans((0, 10, first), (10, 20, second)) if each[0] in ("Item", "Total")] == [
        ("Item", 0, 20),
        ("Total", 0, 10),
        ("Total", 10, 20),
    ]


def test_what_stands_still_is_found_before_what_may_have_moved() -> None:
    first = [box("Plan", 0.1, 0.1), box("Yes", 0.5, 0.5)]
    second = [box("Cost", 0.1, 0.1), box("Yes", 0.5, 0.3), box("Yes", 0.5, 0.5)]
    assert [each for each in spans((0, 1, first), (1, 2, second)) if each[0] == "Yes"] == [("Yes", 0, 2), ("Yes", 1, 2)]


def test_a_ticker_over_changing_captions_is_one_text() -> None:
    pictures = [[box("BREAKING storm", 0.6 - 0.1 * n, 0.9), box(f"line {n}", 0.1, 0.7)] for n in range(5)]
    found = spans(*((n, n + 1, lines) for n, lines in enumerate(pictures)))
    assert [each for each in found if "storm" in each[0]] == [("BREAKING storm", 0, 5)]


@pytest.mark.parametrize("apart", [0.1, 0.2], ids=["slowly", "faster than a text drifts"])
def test_lines_that_scroll_out_of_sight_are_each_one_text(apart: float) -> None:
    pictures = [
        [box(name, 0.1, apart * place) for place, name in enumerate("abcdefgh"[step : step + 4])] for step in (0, 2)
    ]
    assert spans(*((step, step + 2, lines) for step, lines in enumerate(pictures))) == [
        ("a", 0, 2), ("b", 0, 2), ("c", 0, 3), ("d", 0, 3), ("e", 1, 3), ("f", 1, 3)
    ]  # fmt: skip


def test_what_stays_in_place_does_not_make_a_word_elsewhere_one_that_scrolled() -> None:
    dots = [box("•", 0.1, 0.1 * row) for row in range(3, 9)]
    slides = [[box("Total", 0.5, 0.1), *dots], [box("Total", 0.5, 0.6), *dots]]
    found = spans(*((2 * n, 2 * n + 2, lines) for n, lines in enumerate(slides)))
    assert [each for each in found if each[0] == "Total"] == [("Total", 0, 2), ("Total", 2, 4)]


def test_sentences_beside_a_table_are_read_one_after_the_other() -> None:
    side = ["The prices below are", "those of last year and", "do not include the tax"]
    table = [box(text, 0.6 + 0.2 * column, 0.3 + 0.055 * row) for column in (0, 1) for row, text in enumerate("abc")]
    slide = [*(box(text, 0.1, 0.3 + 0.055 * row) for row, text in enumerate(side)), *table]
    assert texts(slide)[:3] == side
