"""Splits a sentence into its subject and what it says about it, so that two sentences can be compared.

"The kettle costs 45 dollars" is about a kettle and says 45 dollars. Two sentences are about the same thing if, without
their values and the words of `_ASIDE`, the same words remain in the same order. So "about 45 dollars", "45 dollars
each" and "used to cost 45 dollars" are about something else, and so is "the red kettle".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from longtake.agent.language.picture_rows import CELLS
from longtake.language.amounts import COINS, RATES, SIGNS
from longtake.language.numbers import NUMBER_WORDS, figures
from longtake.language.text import fold
from longtake.language.words import numbers, stem, words

_ASIDE = frozenset(
    (
        "a an the this that these those there here it its is are am be been being has have do does did of in on at to "
        "for and as by from cost costs price prices priced sells"
    ).split()
)
_TOLD = re.compile(
    r"^(?:the )?(?:speaker|presenter|narrator|slide|screen|sign|he|she) (?:says?|said|shows?|states?)(?: that)?\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(r"\b(?:was|were) (?=\w+ed\b|born\b|built\b)", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|never|cannot|no)\b|n['’]t\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_COUNTED = re.compile(rf"\b(?:{'|'.join(word for word in NUMBER_WORDS if word != 'one')})\b", re.IGNORECASE)
# No single value: tens and more in words, fractions, ranges, shares ("3 of 5"), "No. 5", questions.
_VAGUE = re.compile(
    r"\b(?:twenty|thirty|fou?rty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|[mb]illions?|dozens?|half|"
    rf"quarter|couple|few|several)\b|\d\s*(?:of|out of|/|x|×|-|–|to|or|and)\s*[{SIGNS}]?\d|\bno\.?\s*\d|\?",
    re.IGNORECASE,
)
_DIGITS = r"\d{1,12}(?:,\d{3}){0,4}(?:[.,]\d{1,9})?(?![\w:/]|[.,-]\d)"
_FREE = rf"(?<![\w.,:/{SIGNS}-])"  # not inside a number
_UNIT = rf"%|[{SIGNS}]|°\s?[CF]?|(?:km/h|kilomet(?:re|er)s (?:an|per) hour)|(?!(?:or|but|with|if|than)\b)[^\W\d_]+"
_NUMBER = re.compile(rf"([{SIGNS}])\s?({_DIGITS})|{_FREE}({_DIGITS})[\s-]?({_UNIT})?", re.IGNORECASE)
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b"
)
_YEAR = r"(?:,?\s+((?:1[5-9]|20)\d\d)\b)?"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY_MONTH = re.compile(rf"{_FREE}{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}\b(?!\s*[:%]){_YEAR}", re.IGNORECASE)
_IN_YEAR = re.compile(
    r"\b(?:in|since|until) ((?:1[5-9]|20)\d\d)\b(?! [a-z])|\b((?:1[5-9]|20)\d\d)[.!]?$", re.IGNORECASE
)
_WEEKDAY = re.compile(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b", re.IGNORECASE)
_CLOCK = re.compile(
    rf"{_FREE}(\d{{1,2}})(?::([0-5]\d)(?![:.,]?\d)(?:\s?[ap]m\b)?|\s?(?:[ap]m\b|o['’]clock))", re.IGNORECASE
)
_NAMED = re.compile(r"(?:\s(?:is|was)\s|:\s*| · )((?:[A-Z][a-zà-ÿ]+ ){0,2}[A-Z][a-zà-ÿ]+)[.!]?$")

Kind = Literal["number", "date", "weekday", "clock", "name"]


@dataclass(frozen=True, slots=True)
class Value:
    """A value: its kind, the unit of a number (may be empty), and its parts.

    A date is (day, month, year), each empty if not said; a clock time is the minutes since twelve.
    """

    kind: Kind
    unit: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """Stems of the subject, in order; the values, at most one per kind and unit; and whether it is denied."""

    subject: tuple[str, ...]
    values: tuple[Value, ...]
    denied: bool


@lru_cache(maxsize=16_384)
def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a text that can be compared. A table row states each cell about its first cell.

    Empty if a number remains that isn't a value (a timecode, a version) or may be one of several.
    """
    head, *cells = text.split(CELLS)
    parts = [f"{head}{CELLS}{cell}" for cell in cells] or _SENTENCE.split(text)
    return tuple(found for part in parts if (found := _statement(part.strip(' “”"'))))


def _statement(text: str) -> Statement | None:
    text = figures(text)
    if _VAGUE.search(text):
        return None
    text = _TOLD.sub("", re.sub(r"\bone\b", "", text, flags=re.IGNORECASE))
    rest = _COUNTED.sub(lambda match: NUMBER_WORDS.get(match[0].casefold(), match[0]), text)
    values: list[Value] = []
    for pattern, value_of in _READERS:
        for match in pattern.finditer(rest):
            values.append(value_of(match))
        rest = pattern.sub(" ", rest)
    denials = len(_DENIED.findall(rest))
    kinds = {(value.kind, value.unit) for value in values}
    if re.search(r"\d", rest) or denials > 1 or len(kinds) < len(values):
        return None
    plain = _PASSIVE.sub("", re.sub(r"\bcannot\b", "can", re.sub(r"n['’]t\b", "", rest, flags=re.IGNORECASE)))
    subject = [stem(word) for word in words(plain) if word not in _ASIDE and word not in ("not", "never", "no")]
    return Statement(tuple(subject), tuple(sorted(values, key=lambda value: (value.kind, value.unit))), denials == 1)


def _number(match: re.Match[str]) -> Value:
    unit = " ".join(stem(word) for word in fold(match[1] or match[4] or "").split())
    (amount,) = numbers(match[2] or match[3])
    return Value("number", COINS.get(unit, RATES.get(unit, unit)), (amount,))


def _date(day: str | None, month: str, year: str | None) -> Value:
    return Value("date", "", (str(int(day)) if day else "", month[:3].casefold(), year or ""))


def _clock(match: re.Match[str]) -> Value:
    return Value("clock", "", (str(60 * (int(match[1]) % 12) + int(match[2] or 0)),))


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Value]], ...] = (
    (_DAY_MONTH, lambda match: _date(match[1], match[2], match[3])),
    (_MONTH_DAY, lambda match: _date(match[2], match[1], match[3])),
    (_IN_YEAR, lambda match: _date("", "", match[1] or match[2])),
    (_WEEKDAY, lambda match: Value("weekday", "", (match[1].casefold(),))),
    (_CLOCK, _clock),
    (_NUMBER, _number),
    (_NAMED, lambda match: Value("name", "", (match[1].casefold(),))),
)
