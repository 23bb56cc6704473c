"""One spelling of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.language.text import as_sentence, ends_sentence, fold, same, shortened, within, without_bullet


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CAFÉ", "cafe"),
        ("Straße", "STRASSE"),
        ("it’s “so”", 'it\'s "so"'),
        ("1–2 — 3", "1-2 - 3"),
        ("ﬁne", "fine"),
        ("Ｆｕｌｌ", "full"),
        ("Ёлка", "елка"),
        ("two  words\n", "two words"),
    ],
)
def test_what_differs_in_writing_only_is_the_same(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("It costs 9", "It costs 9."),
        ("It costs 9.", "It costs 9."),
        ("“It costs 9”", "“It costs 9”."),
        ("“It costs 9.”", "“It costs 9.”"),
        ("“Who sold it?”", "“Who sold it?”"),
        ("It costs (a lot).", "It costs (a lot)."),
        ("He said “‘Stop!’”", "He said “‘Stop!’”"),
        ("« Ça coûte neuf… »", "« Ça coûte neuf… »"),
        ("“値段は九ドルです。”", "“値段は九ドルです。”"),
    ],
)
def test_a_sentence_ends_once(text: str, sentence: str) -> None:
    assert as_sentence(text) == sentence


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("one two", "one two"),
        ("one two three four", "one two…"),
        ("one two three, four", "one two…"),
        ("to be … honest", "to be…"),
        ("one, 2, 3, 4, 5", "one, 2, 3…"),
        ("一二三四五六七八九十一二", "一二三四五六七八九十…"),
    ],
)
def test_a_long_text_is_cut_between_words(text: str, short: str) -> None:
    assert shortened(text, 11) == short


def test_a_title_before_a_name_ends_no_sentence() -> None:
    assert [ends_sentence(text) for text in ("Thank you, Mrs.", "Ask Dr.", "It is Ada.")] == [False, False, True]


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("• Warning tone", "Warning tone"),
        ("▪Drive belt", "Drive belt"),
        ("· ● two signs", "two signs"),
        ("    return 1", "    return 1"),
        ("+ $35 · each", "+ $35 · each"),
        ("•", "•"),
    ],
)
def test_a_line_of_a_list_is_its_words(line: str, bare: str) -> None:
    assert without_bullet(line) == bare


@pytest.mark.parametrize(("one", "other"), [("が", "か"), ("हिन्दी", "हनद"), ("cafe", "care"), ("a b", "ab")])
def test_other_letters_are_another_text(one: str, other: str) -> None:
    assert not same(one, other)


@given(st.text())
def test_what_is_folded_stays_so(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("part", "whole", "held"),
    [("round 1", "round 12", False), ("round 1", "round 1: sparks", True), ("now", "i know", False), ("", "a", True)],
)
def test_a_text_within_another_cuts_no_word_in_two(part: str, whole: str, held: bool) -> None:
    assert within(part, whole) == held
