"""Terms: what a text can be found by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.language.terms import content_words, document_terms, matched_terms, query_terms


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The price is $1,299.00 today.", "1299"),
        ("The price is $1,299.00 today.", "$1299.00"),
        ("cut at 01:00:32:03.", "01:00:32:03"),
        ("Mail bob@example.org!", "bob@example.org"),
        ("Mail bob@example.org!", "example"),
        ("See https://a.org/x?y=1, please", "https://a.org/x?y=1"),
        ("part AB-123/4 failed", "ab-123/4"),
        ("ÉCOLE Äpfel", "école"),
        ("हिन्दी में बोलो", "हिन्दी"),
        ("東京タワーに行く", "東京"),
        ("Скажи это ещё раз", "ЕЩЁ"),
        ("fifty percent is 50%", "50"),
        ("to be or not to be", "to be or not to be"),
        ("Charges you and me 15 bucks", "How much does the museum charge?"),
        ("three red_cars", "red_car"),
    ],
)
def test_a_query_shares_a_term_with_the_text_it_should_find(text: str, query: str) -> None:
    assert set(query_terms(query)) & set(document_terms(text))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Where is the house?", "Where is the unicorn?"),
        ("at 01:00:45:00", "02:11:45:07"),
        ("東京タワーに行く", "大阪に"),
        ("an artist", "art"),
        ("it costs $249", "$249.50"[:3]),
    ],
)
def test_a_query_shares_no_term_with_what_it_should_not_find(text: str, query: str) -> None:
    assert not set(query_terms(query)) & set(document_terms(text))


def test_matched_terms_are_spelled_as_in_the_query() -> None:
    assert matched_terms("charging museums", "the museum charges") == ["charging", "museums"]


def test_a_phrase_has_terms_that_its_scattered_words_lack() -> None:
    query = set(query_terms("red car"))
    assert query <= set(document_terms("a red car drove by"))
    assert not query <= set(document_terms("a car that is red"))


def test_content_words_fall_back_on_stop_words() -> None:
    assert content_words("The dragon is here") == {"dragon"}
    assert content_words("who is it") == {"who", "is", "it"}


@given(st.text())
def test_every_text_that_has_query_terms_is_found_by_itself(text: str) -> None:
    wanted = query_terms(text)
    assert set(wanted) <= set(document_terms(text))
    assert len(wanted) == len(set(wanted))
