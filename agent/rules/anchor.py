"""Questions that name their place by something else: "while the lights are off", "after the bang"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation, classify
from longtake.agent.rules.matching import key_terms, score
from longtake.agent.rules.moves import Call, Done, evidence_from
from longtake.agent.rules.sounds import asked_kinds, of_kinds
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

RESULTS = 5
ENOUGH = 0.6
BESIDE = 20.0  # seconds after, or before, that "after" and "before" mean
_ANCHORED = re.compile(
    r"^(?P<main>(?:what|which|who|whose|how|where|is|are|does|do|did)\b.+?),?\s+(?:right |just |shortly |immediately )?"
    r"(?P<relation>while|when|during|after|before|as soon as)\s+(?P<clause>.+?)\s*\??$",
    re.IGNORECASE,
)


class Anchored(NamedTuple):
    """The question without its anchor, how the two relate, and the anchor in words."""

    main: str
    relation: str
    clause: str


def anchored(orientation: Orientation) -> Anchored | None:
    """The anchor of a question that names no time by itself; None when it has none that can be searched for."""
    match = _ANCHORED.match(orientation.question.strip())
    if not match or orientation.span is not None or not (key_terms(match["clause"]) or asked_kinds(match["clause"])):
        return None
    return Anchored(match["main"], match["relation"].casefold(), match["clause"])


def anchor_call(anchor: Anchored, orientation: Orientation) -> Call:
    """The call that finds the anchor: sounds in the sound track, everything else by search."""
    if asked_kinds(anchor.clause):
        return Call("detect_audio_events", {"timestamp": [0.0, next(iter(orientation.videos.values()))]})
    return Call("cross_modal_search", {"query": anchor.clause, "modalities": ["speech", "scene_text"], "k": RESULTS})


def at_anchor(anchor: Anchored, orientation: Orientation, found: Done) -> Orientation | None:
    """The main question, at the place where the anchor was found; None when it was not found."""
    place = _place(anchor, evidence_from([found], found.call.name))
    if place is None:
        return None
    length = orientation.videos.get(place.video, place.span.end)
    kind, senses = classify(anchor.main)
    return orientation.model_copy(
        update={"question": anchor.main, "parts": (anchor.main,), "kind": kind, "modalities": senses, "span": _beside(anchor.relation, place.span, length)}
    )


def _place(anchor: Anchored, hits: Sequence[Evidence]) -> Evidence | None:
    kinds = asked_kinds(anchor.clause)
    if kinds:
        return next(iter(of_kinds(hits, kinds)), None)
    best = max(hits, key=lambda item: score(anchor.clause, item, hits), default=None)
    return best if best and score(anchor.clause, best, hits) >= ENOUGH else None


def _beside(relation: str, span: TimeSpan, length: float) -> TimeSpan:
    if relation in ("after", "as soon as"):
        return TimeSpan(start=min(span.end, length), end=min(length, span.end + BESIDE))
    if relation == "before":
        return TimeSpan(start=max(0.0, span.start - BESIDE), end=span.start)
    return span
