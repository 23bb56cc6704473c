"""Reads the amounts that a claim states, with units, except times and counts of its evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.language.amounts import Amount, amounts, units
from longtake.memory.records import Evidence
from longtake.memory.timespan import SpanError, parse_time

_MOMENT = re.compile(
    r"(\d+(?:\.\d+)?)(?=(?:\s*(?:[-–]|to|and)\s*\d+(?:\.\d+)?)?\s*s(?:ec(?:onds?)?)?\b)"
    r"|((?:\d+:)?\d{1,3}:\d{2}(?:\.\d+)?)"
)
OCCURS = re.compile(r"\b(?:occurs?|said|spoken|mentioned|shown|written)\b.*\b(once|twice|times)\b", re.IGNORECASE)
_TIMES = {"once": "1", "twice": "2"}


def stated_amounts(rest: str, proof: Sequence[Evidence], quotes: Sequence[str]) -> frozenset[Amount]:
    """The amounts that a claim states, except the times of its evidence and how often a quoted term occurs there."""
    # Times can be written in many ways; "one" is rarely a count.
    text = _MOMENT.sub(lambda match: "" if _is_time_of(match, proof) else match[0], rest)
    text = re.sub(r"\bone\b", "", text, flags=re.IGNORECASE)
    if not OCCURS.search(rest):
        return amounts(text)
    text = re.sub(r"\b(?:once|twice)\b", lambda match: _TIMES[match[0].casefold()], text, flags=re.IGNORECASE)
    return amounts(text) - {Amount(number, "") for number in _counts(quotes, proof)}


def holds_amount(amount: Amount, contents: Sequence[str], computed: Sequence[str]) -> bool:
    """Whether a text has an amount with its unit. A bare number may get its unit from the heading of its column."""
    shown = " ".join(contents)
    worked = {found for line in computed for found in amounts(line)}
    known = {found for content in contents for found in amounts(content)}
    named = units(shown)
    return any(
        found.number == amount.number
        and (
            not amount.unit
            or found.unit == amount.unit
            or (
                not found.unit and amount.unit in (named if found in known else named | {other.unit for other in known})
            )
        )
        for found in known | worked
    )


def _is_time_of(written: re.Match[str], proof: Sequence[Evidence]) -> bool:
    """Whether a time is the start, end or length of the evidence, to its written precision."""
    text = written[1] or written[2]
    decimals = len(text.partition(".")[2])
    try:
        seconds = parse_time(text)
    except SpanError:  # such as 0:60
        return False
    times = [time for item in proof for time in (item.span.start, item.span.end, item.span.length)]
    return any(abs(seconds - time) <= 10**-decimals + 1e-6 for time in times)


def _counts(quotes: Sequence[str], proof: Sequence[Evidence]) -> set[str]:
    """How often each quoted term occurs in the evidence."""
    terms = [re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE) for term in quotes]
    return {str(sum(len(term.findall(item.content)) for item in proof)) for term in terms}
