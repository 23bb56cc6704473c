"""The language of a text, by its commonest words, which are also those that say little, and its names of dates."""

from __future__ import annotations

import re
from calendar import day_name, month_name
from functools import cache, lru_cache

from longtake.language.text import fold

ENGLISH = "en"
_WORD = re.compile(r"[^\W\d_]+")
_FEW = 1  # one such word may be a name


@lru_cache(maxsize=16_384)
def language_in(text: str) -> str:
    """ISO 639-1 code of the language that has most of the words; English unless another has more, and more than one.

    Scripts without spaces between words count as English: there is nothing to count.
    """
    found = set(_WORD.findall(text.casefold()))  # with accents, which tell languages apart
    held = {language: sum(map(words.__contains__, found)) for language, words in _stop_words().items()}
    likeliest = max(held, key=held.__getitem__)
    return likeliest if held[likeliest] > max(held[ENGLISH], _FEW) else ENGLISH


def stop_words(text: str, english: frozenset[str]) -> frozenset[str]:
    """The words, folded, that carry no content in the language of a text; those given if that is English."""
    language = language_in(text)
    return english if language == ENGLISH else _folded(language)


@cache
def _folded(language: str) -> frozenset[str]:
    return frozenset(map(fold, _stop_words()[language]))


@cache
def _stop_words() -> dict[str, frozenset[str]]:
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    return {language: frozenset(map(str.casefold, get_stop_words(language))) for language in LANGUAGE_MAPPING}


@cache
def date_names(language: str) -> frozenset[str]:
    """The days and months of a language in lower case; the English ones if Babel isn't installed or has none.

    Args:
        language: ISO 639-1 code.
    """
    english = frozenset(name.casefold() for name in (*day_name, *month_name) if name)
    if language == ENGLISH:
        return english
    try:
        from babel import UnknownLocaleError
        from babel.dates import get_day_names, get_month_names
    except ImportError:
        return english
    try:
        names = (*get_day_names(locale=language).values(), *get_month_names(locale=language).values())
    except UnknownLocaleError:
        return english
    return frozenset(name.casefold() for name in names)
