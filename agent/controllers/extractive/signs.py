"""Signs of what a question asks for, such as a number, in the words that a line adds to the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from longtake.agent.controllers.extractive.settling import UNITS_OF_TIME
from longtake.agent.query.query import Query
from longtake.language.dates import date_names
from longtake.language.languages import language_in
from longtake.language.numbers import in_digits
from longtake.language.words import stems, unsaid

_COLOURS = stems("red green blue yellow black white grey gray brown orange purple pink violet golden silver")
_OFTEN = stems("once twice dozen")
_SIGNS: Mapping[str, Callable[[str], bool]] = {
    "number": lambda text: any(map(str.isdigit, text)),
    "count": lambda text: any(map(str.isdigit, text)) or bool(_OFTEN & stems(text)),
    "duration": lambda text: bool(UNITS_OF_TIME & stems(text)),
    "name": lambda text: _has_name(text),
    "calculation": lambda text: any(map(str.isdigit, text)),
    "colour": lambda text: bool(_COLOURS & stems(text)),
}


def share_shown(query: Query, text: str) -> float:
    """Share of the likely targets for which the text adds a sign, such as a number, to the question."""
    new = _new(query, text)
    return sum(share for target, share in query.reading.targets.items() if target in _SIGNS and _SIGNS[target](new))


def share_lacking(query: Query, text: str) -> float:
    """Share of the likely targets whose sign is missing from the text."""
    new = _new(query, text)
    return sum(share for target, share in query.reading.targets.items() if target in _SIGNS and not _SIGNS[target](new))


def _has_name(text: str) -> bool:
    """Whether a word other than a day or month begins with a capital within a sentence."""
    dates = date_names(language_in(text))
    return any(
        word.istitle() and word.strip(",;:.!?").casefold() not in dates and before[-1] not in ".!?·"
        for before, word in pairwise(text.split())
    )


def _new(query: Query, text: str) -> str:
    """The words that a text adds to the question, with numbers in digits."""
    return unsaid(in_digits(text), query.question)
