"""Questions that name their place by something else: "while the lights are off", "after the bang"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation, classify
from longtake.agent.rules.everything import is_total
from longtake.agent.rules.matching import ENOUGH, key_terms, score
from longtake.agent.rules.moves import Call, Done, evidence_from, on_each
from longtake.agent.rules.sounds import asked_kinds, of_kinds
from longtake.memory.records import Citation, Evidence
from longtake.memory.timespan import TimeSpan

RESULTS = 5
BESIDE = 20.0  # seconds after, or before, that "after" and "before" mean where not everything is wanted
_ANCHORED = re.compile(
    r"^(?:and|but|so|then)?,?\s*(?P<main>(?:what|which|who|whose|how|where|is|are|does|do|did)\b.+?)"
    r",?\s+(?:right |just |shortly |immediately )?"
    r"(?P<relation>while|when|during|after|before|as soon as)\s+(?P<clause>.+?)\s*\??$",
    re.IGNORECASE,
)
_BACK = re.compile(r"(?:that|this|it|then)(?: happen(?:s|ed))?", re.IGNORECASE)


class Anchored(NamedTuple):
    """The question without its anchor, how the two relate, the anchor in words and, for "after that", its place."""

    main: str
    relation: str
    clause: str
    place: Citation | None


def anchored(orientation: Orientation) -> Anchored | None:
    """The anchor of a question that names no time by itself; None when it has none that can be found."""
    match = _ANCHORED.match(orientation.question.strip())
    if not match or orientation.span is not None:
        return None
    place = orientation.last if _BACK.fullmatch(match["clause"]) else None
    if not (place or key_terms(match["clause"]) or asked_kinds(match["clause"])):
        return None
    return Anchored(match["main"], match["relation"].casefold(), match["clause"], place)


def anchor_calls(anchor: Anchored, orientation: Orientation) -> list[Call]:
    """The calls that find the anchor."""
    return calls_for(anchor.clause, orientation)


def calls_for(thing: str, orientation: Orientation) -> list[Call]:
    """The calls that find where something is: sounds in the sound track, everything else by search."""
    if asked_kinds(thing):
        return on_each(orientation, "detect_audio_events")
    return [Call("cross_modal_search", {"query": thing, "modalities": ["speech", "scene_text"], "k": RESULTS})]


def found_anchor(anchor: Anchored, found: Sequence[Done]) -> Anchored:
    """The anchor with its place, where the calls found it."""
    place = place_of(anchor.clause, evidence_from(found, "detect_audio_events", "cross_modal_search"))
    return anchor._replace(place=Citation.of(place) if place else None)


def at_anchor(anchor: Anchored, orientation: Orientation) -> Orientation:
    """The main question, at the anchor's place in its video; the question as it was when the place is not known."""
    place = anchor.place
    if place is None or place.video not in orientation.videos:
        return orientation
    kind, senses = classify(anchor.main)
    length = orientation.videos[place.video]
    asked = {"question": anchor.main, "parts": (anchor.main,), "kind": kind, "modalities": senses}
    reach = length if is_total(anchor.main) or orientation.exhaustive else BESIDE
    where = {"span": _beside(anchor.relation, place, length, reach), "videos": {place.video: length}}
    return orientation.model_copy(update=asked | where | {"relation": anchor.relation})


def place_of(thing: str, hits: Sequence[Evidence]) -> Evidence | None:
    """The evidence that is this thing: the first sound of its kind, or the best line that holds its words."""
    kinds = asked_kinds(thing)
    if kinds:
        return next(iter(of_kinds(hits, kinds)), None)
    best = max(hits, key=lambda item: score(thing, item, hits), default=None)
    return best if best and score(thing, best, hits) >= ENOUGH else None


def _beside(relation: str, place: Citation, length: float, reach: float) -> TimeSpan:
    if relation in ("after", "as soon as"):
        return TimeSpan(start=min(place.end, length), end=min(length, place.end + reach))
    if relation == "before":
        return TimeSpan(start=max(0.0, place.start - reach), end=place.start)
    return TimeSpan(start=place.start, end=place.end)
