"""Amounts in a text: how much, and of what unit, so that 45 dollars are neither 45 euros nor 45 percent."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from longtake.language.numbers import in_digits, plain_number
from longtake.language.text import fold
from longtake.language.words import stem

COINS = {"$": "dollar", "usd": "dollar", "buck": "dollar", "€": "euro", "eur": "euro", "£": "pound", "gbp": "pound"}
COINS |= {"¥": "yen", "jpy": "yen"}
SIGNS = "$€£¥"  # of currencies
RATES = {"percent": "%", "kph": "km/h"} | {
    f"{unit} {rate} hour": "km/h" for unit in ("kilometr", "kilometer") for rate in ("an", "per")
}
_SPELLED = {"c": "cent", "penc": "penny", "s": "second", "sec": "second", "h": "hour", "min": "minut", "kg": "kilogram"}
_SPELLED |= {"kilo": "kilogram", "g": "gram", "m": "meter", "metr": "meter", "km": "kilometer", "kilometr": "kilometer"}
_SPELLED |= {"cm": "centimeter", "mm": "millimeter", "lb": "pound", "foot": "feet", "ft": "feet", "tonn": "ton"}
_SPELLED |= {"per cent": "%", "hz": "hertz", "khz": "kilohertz", "ms": "millisecond"}
_RATE = r"(?:km/h|kph|mph|kilomet(?:re|er)s (?:an|per) hour|miles (?:an|per) hour)"
_MEASURE = (
    r"dollars?|bucks?|usd|euros?|eur|pounds?|gbp|yen|jpy|cents?|pence|pennies|francs?|per ?cent|milliseconds?|ms|"
    r"seconds?|sec|s|minutes?|min|hours?|h|days?|weeks?|months?|years?|decades?|centuries|"
    r"(?:kilo|centi|milli)?met(?:re|er)s?|km|cm|mm|m|miles?|feet|foot|ft|inch(?:es)?|yards?|"
    r"(?:kilo)?grams?|kilos?|kg|g|tons?|tonnes?|lbs?|ounces?|lit(?:re|er)s?|gallons?|degrees?|k?hz|am|pm"
)
_UNIT = rf"%|[{SIGNS}]|°\s?[CF]?|{_RATE}|(?:{_MEASURE})(?![\w/])"
_AMOUNT = re.compile(
    rf"(?<![^\W_])(?<!\d[.,:])([{SIGNS}]\s?)?((?<![\w)])[-−])?(\d+(?:[.,:]\d+)*)(?:[\s-]?({_UNIT}))?"
    r"(?![^\W_]|[.,:]\d)",
    re.IGNORECASE,
)
_FACTOR = re.compile(r"(?<=\d)\s?[x×]\s?(?=\d)", re.IGNORECASE)


class Amount(NamedTuple):
    """A number in digits, without separators and trailing zeros, and its unit; empty if none is known to follow."""

    number: str
    unit: str


@lru_cache(maxsize=16_384)
def amounts(text: str) -> frozenset[Amount]:
    """Every number of a text with its unit, number words included: `ten million euros` is 10000000 euros.

    Digits that are part of a word, as in "room B12", aren't numbers.
    """
    return frozenset(_amount(match) for match in _AMOUNT.finditer(_in_digits(text)))


def without_amounts(text: str) -> str:
    """A text without its numbers and their units."""
    return _AMOUNT.sub(" ", _in_digits(text))


def _in_digits(text: str) -> str:
    return _FACTOR.sub(" × ", in_digits(text))


def _amount(match: re.Match[str]) -> Amount:
    return Amount(("-" if match[2] else "") + plain_number(match[3]), _unit(match[1] or match[4] or ""))


def _unit(written: str) -> str:
    unit = " ".join(stem(word) for word in fold(written).split())
    return next((table[unit] for table in (COINS, RATES, _SPELLED) if unit in table), unit)
