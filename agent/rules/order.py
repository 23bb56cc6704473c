"""Order of events: each is looked for, and their times are compared."""

from __future__ import annotations

import re
from typing import NamedTuple

from longtake.agent.orientation import ORDINALS, Orientation
from longtake.agent.rules.moves import cite, not_found, trusted
from longtake.agent.rules.places import can_be_found, find_places, veiled
from longtake.agent.rules.steps import Steps, together
from longtake.memory.records import Evidence

_TOLD = (
    r"(?:come|comes|came|appear|appears|appeared|shown|said|mentioned|happen|happens|happened|heard|seen|displayed|"
    r"written|named|occur|occurs|sound|sounds)"
)
_RANK = rf"(?P<rank>{'|'.join(ORDINALS)}|earliest|latest|earlier|later)"
_LAST = ("last", "latest", "later")
_SEVERAL = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^\W*(?:which|what|who)\b.*?\b{_RANK}\b\W+(?:(?:of|among|out of)\s+)?(?P<things>.+?\s(?:or|and)\s.+)$",
        rf"^\W*(?:which|what|who) of (?P<things>.+?)\s+(?:is|are|was|were)?\s*{_TOLD}\s+{_RANK}$",
        rf"^\W*in (?:what|which) order (?:are|is|were|was|do|does|did)\s+(?P<things>.+?)(?:\s+{_TOLD})?$",
        r"^\W*(?:please )?(?:put|sort|arrange|order)\b.*?(?:in order|by time)?[^:]*:\s*(?P<things>.+)$",
        rf"^\W*what is the order of (?P<things>.+?)(?:\s+{_TOLD})?$",
    )
)
_IS_BEFORE = re.compile(
    rf"^\W*(?:is|are|was|were|does|do|did)\s+(?P<one>.+?)\s+(?:{_TOLD}\s+)?(?P<rank>before|after)\s+"
    rf"(?P<other>.+?)(?:\s+(?:is|are|was|were)\s+{_TOLD})?$",
    re.IGNORECASE,
)
_LISTED = re.compile(r",\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.IGNORECASE)


class Compared(NamedTuple):
    """The things, and what is asked: `order`, a rank, or whether the first is `before` or `after` the other."""

    things: tuple[str, ...]
    asked: str


def compared(question: str) -> Compared | None:
    """What a question compares in time; None when it compares nothing."""
    text = question.strip().rstrip("?. ")
    hidden = veiled(text)
    for form in _SEVERAL:
        match = form.match(hidden)
        if match:
            rank = match.groupdict().get("rank") or "order"
            things = _listed(text, match.start("things"), match.end("things"))
            if len(things) > 1 and all(can_be_found(thing) for thing in things):
                return Compared(things, rank.casefold())
    match = _IS_BEFORE.match(hidden)
    if match is None:
        return None
    return Compared((text[slice(*match.span("one"))], text[slice(*match.span("other"))]), match["rank"].casefold())


def find_order(compared: Compared, orientation: Orientation) -> Steps[str]:
    """Look for all of them; the answer names them in order, with their times."""
    found = yield from together([find_places(thing, orientation) for thing in compared.things])
    places = [next(iter(trusted(each)), None) for each in found]
    missing = [thing for thing, place in zip(compared.things, places, strict=True) if place is None]
    known = [place for place in places if place]
    if missing:
        return not_found(f"It cannot be told when this is: {', '.join(missing)}.")
    if len({place.video for place in known}) > 1 or len({place.span.start for place in known}) < len(known):
        return not_found("They begin at the same time, or are in different videos.")
    ordered = sorted(known, key=lambda place: place.span.start)
    order = f"{' comes before '.join(_quoted(place, orientation) for place in ordered)}."
    if compared.asked in ("before", "after"):
        wanted = known[0] if compared.asked == "before" else known[1]
        return f"{'Yes' if wanted is ordered[0] else 'No'}: {order}"
    number = -1 if compared.asked in _LAST else ORDINALS.get(compared.asked, 0)
    if number >= len(ordered):
        return not_found(f"Only {len(ordered)} things are named.")
    if compared.asked == "order" or len(ordered) == 2:
        return order
    return f"{compared.asked.capitalize()} is {_quoted(ordered[number], orientation)}. In order: {order}"


def _listed(text: str, start: int, end: int) -> tuple[str, ...]:
    """The things of a list such as "A, B and C", of which quotations stay whole."""
    edges = [start, *(edge for joint in _LISTED.finditer(veiled(text), start, end) for edge in joint.span()), end]
    return tuple(text[one:other].strip() for one, other in zip(edges[::2], edges[1::2], strict=True))


def _quoted(item: Evidence, orientation: Orientation) -> str:
    return f"“{item.content.strip()}” {cite(item, orientation)}"
