"""The amounts that a claim states, held against its proof: with their units, but for times and counts of the proof."""

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
    """The amounts that a claim states, but for when its proof is, and how often a quoted term occurs in it."""
    # When something happened may be written in many ways; "one" is mostly a word for a thing, not a count.
    text = _MOMENT.sub(lambda match: "" if _is_time_of(match, proof) else match[0], rest)
    text = re.sub(r"\bone\b", "", text, flags=re.IGNORECASE)
    if not OCCURS.search(rest):
        return amounts(text)
    text = re.sub(r"\b(?:once|twice)\b", lambda match: _TIMES[match[0].casefold()], text, flags=re.IGNORECASE)
    return amounts(text) - {Amount(number, "") for number in _counts(quotes, proof)}


def holds_amount(amount: Amount, contents: Sequence[str], computed: Sequence[str]) -> bool:
    """Whether an amount stands in a text with its unit; a bare number may have it from the head of its column."""
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
    """Whether a time says when the evidence begins or ends, or how long it lasts, as exactly as it is written."""
    text = written[1] or written[2]
    decimals = len(text.partition(".")[2])
    try:
        told = parse_time(text)
    except SpanError:  # such as 0:60
        return False
    times = [time for item in proof for time in (item.span.start, item.span.end, item.span.length)]
    return any(abs(told - time) <= 10**-decimals + 1e-6 for time in times)


def _counts(quotes: Sequence[str], proof: Sequence[Evidence]) -> set[str]:
    """How often each quoted term occurs in the proof."""
    terms = [re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE) for term in quotes]
    return {str(sum(len(term.findall(item.content)) for item in proof)) for term in terms}
