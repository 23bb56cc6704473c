"""The language of a text, and what follows it: empty words and numbers."""

from __future__ import annotations

import pytest

from longtake.language.amounts import Amount, amounts
from longtake.language.languages import language_in
from longtake.language.numbers import figures
from longtake.language.terms import query_terms
from longtake.language.words import content_stems


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Was hat die Reparatur gekostet?", "de"),
        ("¿Quién ha pagado la reparación del tejado?", "es"),
        ("Combien la réparation a-t-elle coûté ?", "fr"),
        ("Quanto è costata la riparazione del tetto?", "it"),
        ("Сколько это стоило и кто это сделал?", "ru"),
        ("What did the repair cost?", "en"),
        ("Who is Dr. De la Cruz?", "en"),
        ("Total: 640,000", "en"),
        ("the bang", "en"),
        ("修理にいくらかかりましたか", "en"),
        ("", "en"),
    ],
)
def test_the_commonest_words_tell_the_language(text: str, language: str) -> None:
    assert language_in(text) == language


def test_words_that_carry_no_content_are_those_of_the_language() -> None:
    assert content_stems("Was hat die Reparatur des Daches gekostet?") == ["reparatur", "dach", "gekostet"]
    assert content_stems("What did they die of?") == ["die"]
    assert "die" not in query_terms("Was hat die Reparatur gekostet?")


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("Das hat uns zweiundvierzig Euro gekostet.", "Das hat uns 42 Euro gekostet."),
        ("Nos ha costado cuarenta y dos euros.", "Nos ha costado 42 euros."),
        ("Cela nous a coûté quarante-deux euros et un jour.", "Cela nous a coûté 42 euros et un jour."),
        ("Kosztowało nas to czterdzieści dwa złote.", "Kosztowało nas to czterdzieści dwa złote."),
    ],
)
def test_numbers_are_read_in_the_language_of_the_text(text: str, digits: str) -> None:
    assert figures(text) == digits


def test_an_amount_is_the_same_in_every_language() -> None:
    assert amounts("Das hat uns zweiundvierzig Euro gekostet.") == {Amount("42", "euro")}
    assert amounts("It cost us forty-two euros.") == {Amount("42", "euro")}
