"""Arithmetic with times: `2 h 15 min + 90 s`, `00:12:34 + 90 s`, `3 min in seconds`.

`language.amounts` compares amounts; here they are calculated exactly. A time is a multiple of the constant `second`,
and the power of `second` in a result tells whether it is a time or a number.
"""

from __future__ import annotations

import re
from typing import Any

import sympy

from longtake.memory.timespan import clock
from longtake.tools.compute.algebra import SECOND, bounded, expanded, write
from longtake.tools.core.result import ToolError

_SPELLINGS = {
    "0.001": "ms millisecond milliseconds",
    "1": "s sec secs second seconds",
    "60": "min mins minute minutes",
    "3600": "h hr hrs hour hours",
    "86400": "day days",
    "604800": "week weeks",
}
UNITS = {name: seconds for seconds, names in _SPELLINGS.items() for name in names.split()}
_NUMBER = r"(?:\d+/\d+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
_END = r"(?![A-Za-z_(])"
# A lone m may mean metres; after hours or before seconds it means minutes.
_MINUTES = re.compile(rf"(?<=h)(\s*\d+\s*)m{_END}|(?<![\w.])(\d+\s*)m(?=\s*{_NUMBER}\s*s{_END})")
_QUANTITY = rf"{_NUMBER}\s*(?:{_UNIT}){_END}"
_QUANTITIES = re.compile(rf"(?<![\w.]){_QUANTITY}(?:(?:\s*,)?\s*(?:and\s+)?{_QUANTITY})*")
_ONE = re.compile(rf"({_NUMBER})\s*({_UNIT}){_END}")
_OF_GROUP = re.compile(rf"(?<=\))\s*({_UNIT}){_END}")  # (1/2) h
_CLOCK = re.compile(r"(?<![\w.:])(?:0*(\d{1,3}):)?0*(\d{1,3}):0?([0-5]?\d(?:\.\d+)?)(?![\w:])")
_WANTED = re.compile(rf"\s(?:in|to|as)\s+({_UNIT})\s*$")
_LONGEST = 10**12  # seconds that can be written as a clock time


def in_seconds(text: str) -> str:
    """The text with every clock time and duration as a multiple of the constant `second`."""
    text = _MINUTES.sub(lambda found: f"{found[1] or found[2]}min", text)
    text = _CLOCK.sub(lambda found: f"((({found[1] or 0}*60+{found[2]})*60+{found[3]})*second)", text)
    text = _QUANTITIES.sub(lambda run: f"(({_sum(run[0])})*second)", text)
    return _OF_GROUP.sub(lambda found: f"*{UNITS[found[1]]}*second", text)


def wanted_unit(text: str) -> tuple[str, str | None]:
    """The text without a closing `in seconds`, and the requested unit."""
    found = _WANTED.search(text)
    return (text[: found.start()], found[1]) if found else (text, None)


def write_time(value: Any, unit: str | None = None) -> str:
    """A number of seconds as `HH:MM:SS` and in seconds, or in the requested unit; a plain number as it is.

    Raises:
        ToolError: if times and plain numbers are mixed, or a unit is requested for something that isn't a time.
    """
    value = expanded(value)
    seconds = expanded(bounded(value / SECOND))
    if value.has(SECOND) and seconds.has(SECOND):
        raise ToolError("bad_arguments", "expression: it adds times and plain numbers, or multiplies times.")
    if not value.has(SECOND) and (unit is None or value):
        if unit:
            raise ToolError("bad_arguments", f"expression: its value isn't a time, so it can't be given in {unit}.")
        return write(value)
    if seconds.free_symbols:
        raise ToolError("bad_arguments", "expression: a time can't contain an unknown.")
    if unit:
        return f"{write(bounded(seconds / sympy.Rational(UNITS[unit])))} {unit}"
    if abs(seconds) >= _LONGEST:
        return f"{write(seconds)} s"
    return f"{_clock(seconds)} = {write(seconds)} s"


def same_time(left: Any, right: Any) -> str | None:
    """Whether two times are equal; None if one isn't a time, because then what looks like a unit is an unknown.

    Raises:
        ToolError: if there is an unknown next to the times.
    """
    if (left.free_symbols | right.free_symbols) - {SECOND}:
        raise ToolError("bad_arguments", "expression: an equation of times can't have an unknown.")
    sides = [expanded(bounded(side / SECOND)) for side in (left, right)]
    if any(side.free_symbols for side in sides):
        return None
    return "true" if expanded(bounded(sides[0] - sides[1])).is_zero else "false"


def _sum(quantities: str) -> str:
    return "+".join(f"{number}*{UNITS[unit]}" for number, unit in _ONE.findall(quantities))


def _clock(seconds: Any) -> str:
    decimals = 0 if seconds.is_Integer else 3
    return ("-" if seconds < 0 else "") + clock(float(abs(seconds)), decimals=decimals)
