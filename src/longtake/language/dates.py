"""Names of days and months in many languages."""

from __future__ import annotations

from calendar import day_name, month_name
from functools import cache

from longtake.language.languages import ENGLISH


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
