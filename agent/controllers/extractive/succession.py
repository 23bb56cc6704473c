"""Finds what comes directly after or before something that the question names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.query.query import MODALITY_OF, Query
from longtake.memory.records import Evidence


def neighbour(query: Query, gathered: Gathered, candidates: Sequence[Candidate]) -> Candidate | None:
    """The next item: the next line on the same screen, else the next in time; None if there is none."""
    spot = gathered.spot
    if query.target != "order" or spot is None:
        return None
    forward = not any(anchor.relation == "before" for anchor in query.scope.anchors)
    wanted = MODALITY_OF.get(query.source, spot.modality)
    others = [each for each in candidates if each.modality == wanted and each.evidence.video == spot.video]
    others = [replace(each, line=(each.evidence,)) for each in others]
    below = [each for each in others if _reads_on(spot, each.evidence, forward)]
    if below:
        return min(below, key=lambda each: abs(_top(each.evidence) - _top(spot)))
    apart = [each for each in others if _follows(spot, each.evidence, forward)]
    return min(apart, key=lambda each: abs(each.evidence.span.start - spot.span.start), default=None)


def _reads_on(spot: Evidence, item: Evidence, forward: bool) -> bool:
    """Whether a text is below (or above) another on the same screen."""
    if not (spot.box and item.box and spot.modality == item.modality and spot.span.overlaps(item.span)):
        return False
    step = (_top(item) - _top(spot)) * (1 if forward else -1)
    return step > spot.box[3] / 2 and item.content != spot.content


def _follows(spot: Evidence, item: Evidence, forward: bool) -> bool:
    """Whether something begins after (or ends before) another, within half a second."""
    grace = 0.5
    return item.span.start >= spot.span.end - grace if forward else item.span.end <= spot.span.start + grace


def _top(item: Evidence) -> float:
    return item.box[1] if item.box else 0.0
