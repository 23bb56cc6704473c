"""Signs of what a question asks for, such as a number, in the words that a line adds to the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from longtake.agent.controllers.extractive.settling import UNITS_OF_TIME
from longtake.agent.query.query import Query
from longtake.language.dates import date_names
from longtake.language.languages import language_in
from longtake.language.numbers import in_digits
from longtake.language.words import stems, unsaid

_WORD = re.compile(r"[^\W\d_]{2,}")
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


def signs(query: Query, text: str) -> tuple[float, float]:
    """Shares of the likely targets whose sign, such as a number, a text lacks and adds to the question."""
    new = unsaid(in_digits(text), query.question)
    wanted = {target: share for target, share in query.reading.targets.items() if target in _SIGNS}
    shown = sum(share for target, share in wanted.items() if _SIGNS[target](new))
    return sum(wanted.values()) - shown, shown


def _has_name(text: str) -> bool:
    """Whether a word other than a day or month begins with a capital, within a sentence or before another such word."""
    dates = date_names(language_in(text))
    for word in _WORD.finditer(text):
        before, after = text[: word.start()][-2:], text[word.end() :][:2]
        within = before[1:] == " " and (before[:1].islower() or before[:1] in ",;:")
        followed = after[:1] == " " and after[1:].isupper()
        if (within or followed) and word[0].istitle() and word[0].casefold() not in dates:
            return True
    return False
