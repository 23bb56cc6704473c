"""Which of two things comes first: each is looked for, and their times are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rules.anchor import calls_for, place_of
from longtake.agent.rules.moves import Done, Move, cite, evidence_from, not_found, trusted
from longtake.memory.records import Evidence

_FIRST_OF = re.compile(
    r"^\W*(?:which|what|who)\b.*?\b(?P<end>first|last|earlier|later)\b\W+(?P<one>.+?),?\s+or\s+(?P<other>[^?]+?)\s*\??$",
    re.IGNORECASE,
)
_TOLD = r"(?:come|comes|appear|appears|appeared|shown|said|mentioned|happen|happens|heard|seen)"
_IS_BEFORE = re.compile(
    rf"^\W*(?:is|are|was|were|does|do|did)\s+(?P<one>.+?)\s+(?:{_TOLD}\s+)?(?P<end>before|after)\s+"
    rf"(?P<other>[^?]+?)(?:\s+(?:is|are|was|were)\s+{_TOLD})?\s*\??$",
    re.IGNORECASE,
)


class Compared(NamedTuple):
    """The two things, and what is asked: the first, the last, or whether one is before or after the other."""

    one: str
    other: str
    asked: str


def compared(question: str) -> Compared | None:
    """What a question compares in time; None when it compares nothing."""
    match = _FIRST_OF.match(question) or _IS_BEFORE.match(question)
    return Compared(match["one"], match["other"], match["end"].casefold()) if match else None


def find_order(things: Compared, orientation: Orientation, done: Sequence[Done]) -> Move:
    """Look for both; the answer names both with their times."""
    first = calls_for(things.one, orientation)
    second = calls_for(things.other, orientation)
    if not done:
        return first + [call for call in second if call not in first]
    shared = second == first
    one = _place(things.one, done[: len(first)])
    other = _place(things.other, done if shared else done[len(first) :])
    missing = [thing for thing, place in ((things.one, one), (things.other, other)) if place is None]
    if one is None or other is None:
        return not_found(f"It cannot be told when this is: {', '.join(missing)}.")
    if one.video != other.video or one.span.start == other.span.start:
        return not_found("Both begin at the same time, or are in different videos.")
    earlier, later = sorted((one, other), key=lambda item: item.span.start)
    order = f"{_quoted(earlier, orientation)} comes before {_quoted(later, orientation)}."
    if things.asked not in ("before", "after"):
        return order
    wanted = one if things.asked == "before" else other
    return f"{'Yes' if wanted is earlier else 'No'}: {order}"


def _place(thing: str, done: Sequence[Done]) -> Evidence | None:
    return place_of(thing, trusted(evidence_from(done, "detect_audio_events", "cross_modal_search")))


def _quoted(item: Evidence, orientation: Orientation) -> str:
    return f"“{item.content.strip()}” {cite(item, orientation)}"
