"""Names and codes of languages, as people write them."""

from __future__ import annotations

import pytest

from longtake.preprocess.media.language_codes import language_code
from longtake.preprocess.media.language_names import language_name, language_of, near_language, same_language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((text, "es") for text in ("es", "ES", "spa", "Spanish", " spanish ", "español", "Spanish (Spain)")),
        *((text, "pt-BR") for text in ("pt-BR", "pt_br", "por_BR", "Brazilian Portuguese")),
        *(("Mandarin", "zh"), ("Deutsch", "de"), ("ger", "de"), ("日本語", "ja")),
        *((text, None) for text in ("", "Klingon", "zz", "Spansh", "e s")),
    ],
)
def test_a_language_is_known_by_name_and_code(text: str, code: str | None) -> None:
    assert language_of(text) == code


def test_every_name_leads_back_to_its_code() -> None:
    assert language_name("es") == "Spanish"
    assert language_name("pt-BR") == "Brazilian Portuguese"
    assert language_name("es-MX") == "Spanish (MX)"
    assert {language_of(language_name(code)) for code in ("es", "nb", "zh-Hant", "gd")} == {"es", "nb", "zh-Hant", "gd"}


def test_the_nearest_name_is_offered() -> None:
    assert near_language("Spansh") == "Spanish"
    assert near_language("qqqqqq") is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("en", "en-US", True), ("en-GB", "en-US", False), ("es", "pt", False), ("nb", "nb", True)],
)
def test_a_language_without_a_region_is_that_of_every_region(one: str, other: str, same: bool) -> None:
    assert same_language(one, other) is same


def test_language_codes_have_one_spelling() -> None:
    given = [
        "eng",
        "EN",
        "pt_br",
        "zh-hans",
        "es-419",
        "fre",
        "iw",
        "zh-hant-tw",
        "en-orig",
        "de-1996",
        "und",
        None,
    ]
    codes = ["en", "en", "pt-BR", "zh-Hans", "es-419", "fr", "he", "zh-Hant-TW", "en", "de", None, None]
    assert [language_code(code) for code in given] == codes
