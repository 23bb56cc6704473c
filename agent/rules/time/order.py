"""Order of events: each is looked for, and their times are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import ORDINALS, POLAR, Orientation
from longtake.agent.rules.moves import doubtful, not_found, quote, trusted
from longtake.agent.rules.steps import Steps, together
from longtake.agent.rules.time.places import TOLD, can_be_found, find_places, is_of_video, is_time, veiled
from longtake.agent.words import cue
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

_TOLD = cue(f"{TOLD}, come, comes, came, happen, happens, happened, occur, occurs, named").pattern
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
    rf"{POLAR}\s+(?P<one>.+?)\s+(?:be\s+|been\s+)?{cue(TOLD).pattern}\s+(?P<rank>before or after|before|after)\s+"
    rf"(?P<other>.+?)(?:\s+(?:is|are|was|were)\s+{_TOLD})?$",
    re.IGNORECASE,
)
_IS_EITHER = re.compile(
    rf"{POLAR}\s+(?P<one>.+?)\s+(?:come|happen|occur|appear)s?\s+(?P<rank>before or after)\s+(?P<other>.+)$",
    re.IGNORECASE,
)
_IS_BESIDE = re.compile(
    rf"{POLAR}\s+(?P<one>the\s[\w -]+?)\s+(?P<rank>before|after)\s+(?P<other>the\s[\w -]+)$", re.IGNORECASE
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
    match = _IS_EITHER.match(hidden) or _IS_BEFORE.match(hidden)
    bare = None if match else _IS_BESIDE.match(hidden)
    if bare and is_of_video(bare["one"]) and is_of_video(bare["other"]):
        match = bare
    if match is None or re.search(r"\bor\b", hidden.replace(match["rank"], " ")):
        return None
    pair = text[slice(*match.span("one"))], text[slice(*match.span("other"))]
    placed = all(can_be_found(thing) and not is_time(thing) for thing in pair)
    rank = match["rank"].casefold()
    return Compared(pair, "order" if " or " in rank else rank) if placed else None


def find_order(compared: Compared, orientation: Orientation) -> Steps[str]:
    """Look for all of them; the answer names them in order, with their times."""
    found = yield from together([find_places(thing, orientation) for thing in compared.things])
    known = [_as_told(trusted(each), orientation) for each in found]
    missing = [thing for thing, places in zip(compared.things, known, strict=True) if not places]
    if missing:
        return not_found(f"It cannot be told when this is: {', '.join(missing)}.")
    places = [likeliest for likeliest, *_ in known]
    if len({place.video for place in places}) > 1:
        return not_found("They are in different videos.")
    if compared.asked in ("before", "after"):
        one, other = ([place for place in each if place.video == places[0].video] for each in known)
        return (yield from _say_side(compared, one, other, orientation))
    if len({place.span.start for place in places}) < len(places):
        return not_found("They begin at the same time.")
    ordered = sorted(places, key=_start)
    order = _in_order(ordered, orientation)
    number = -1 if compared.asked in _LAST else ORDINALS.get(compared.asked, 0)
    if number >= len(ordered):
        return not_found(f"Only {len(ordered)} things are named.")
    if compared.asked == "order" or len(ordered) == 2:
        return order
    return f"{compared.asked.capitalize()} is {quote([ordered[number]], orientation)}. In order: {order}"


def _say_side(
    compared: Compared, one: Sequence[Evidence], other: Sequence[Evidence], orientation: Orientation
) -> Steps[str]:
    """Yes where any place of the one lies on the asked side of the other; No where all lie on the far side.

    A search names the likeliest places alone, so that before a No all of the asked side is read.
    """
    after = compared.asked == "after"
    length = orientation.videos[other[0].video]
    first, last = min(map(_start, other)), max(map(_start, other))
    side = TimeSpan(start=last, end=length) if after else TimeSpan(start=0.0, end=first)

    def ahead(place: Evidence) -> bool:
        return _start(place) > last if after else _start(place) < first

    there = [place for place in one if ahead(place)]
    if not there:
        narrowed = {"span": side, "point": False, "videos": {other[0].video: length}}
        read = yield from find_places(compared.things[0], orientation.model_copy(update=narrowed))
        senses = {place.modality for place in one}
        there = [place for place in read if ahead(place) and place.modality in senses]
    if there and not trusted(there):
        return not_found(" ".join(doubtful(there, orientation)))
    if there:
        return f"Yes: {_in_order([trusted(there)[0], other[0]], orientation)}"
    if not all(_start(place) < first if after else _start(place) > last for place in one):
        return not_found("They begin at the same time, or the one is found between two places of the other.")
    return f"No: {_in_order([one[0], other[0]], orientation)}"


def _as_told(places: Sequence[Evidence], orientation: Orientation) -> list[Evidence]:
    """Those places in the senses that the question names ("mentioned"), where there are any."""
    return [place for place in places if place.modality in orientation.modalities] or list(places)


def _in_order(places: Sequence[Evidence], orientation: Orientation) -> str:
    return f"{' comes before '.join(quote([place], orientation) for place in sorted(places, key=_start))}."


def _start(place: Evidence) -> float:
    return place.span.start


def _listed(text: str, start: int, end: int) -> tuple[str, ...]:
    """The things of a list such as "A, B and C", of which quotations stay whole."""
    edges = [start, *(edge for joint in _LISTED.finditer(veiled(text), start, end) for edge in joint.span()), end]
    return tuple(text[one:other].strip() for one, other in zip(edges[::2], edges[1::2], strict=True))
