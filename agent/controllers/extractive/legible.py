"""Reads out what is written: "What does the large text say?"."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.gathering.text_lines import best_readings
from longtake.agent.query.query import LAYERS_OF, MODALITY_OF, Query, Source
from longtake.language.text import comparable
from longtake.memory.records import Evidence

_FEW = 4  # texts that are all quoted
_ALIKE, _SAME_PLACE = 0.5, 0.5  # similarity, and overlap of the boxes, of two readings of one text
_STANDS_OUT = 1.5  # times the height of the next smaller text


def legible(query: Query, gathered: Gathered, ranked: Sequence[Candidate]) -> tuple[list[Evidence], float]:
    """The texts that are written in the scope of a question, the largest first, and the chance that it asks for text.

    None, with chance 0, if the question may ask for something else, or if there is too much to quote.
    """
    if query.source not in ("text", "picture") or query.quoted or query.scope.anchors:
        return [], 0.0
    window = gathered.window or query.scope.span
    read = [each.evidence for each in ranked if each.modality == "scene_text" and each.evidence.box]
    there = [item for item in read if (window is None or window.overlaps(item.span)) and _inside(query, item)]
    texts = sorted(_whole(best_readings(there)), key=_height, reverse=True)
    if query.scope.largest or len(texts) > _FEW:
        texts = _standing_out(texts)
    return texts, _chance(query, ranked) if texts else 0.0


def _whole(texts: Sequence[Evidence]) -> list[Evidence]:
    """The texts without incomplete and less certain readings of the same."""
    return [item for item in texts if not any(_replaces(other, item) for other in texts if other is not item)]


def _replaces(one: Evidence, other: Evidence) -> bool:
    """Whether a text contains another, or is a better reading in the same place at the same time."""
    full, part = comparable(one.content), comparable(other.content)
    if part in full and part != full:
        return True
    alike = one.span.overlaps(other.span) and SequenceMatcher(None, full, part).ratio() >= _ALIKE
    return alike and _shared(one, other) >= _SAME_PLACE and (one.score, full) > (other.score, part)


def _shared(one: Evidence, other: Evidence) -> float:
    """Intersection over union of two boxes."""
    if one.box is None or other.box is None:
        return 0.0
    (x, y, w, h), (left, top, width, height) = one.box, other.box
    across, down = min(x + w, left + width) - max(x, left), min(y + h, top + height) - max(y, top)
    both = max(0.0, across) * max(0.0, down)
    return both / (w * h + width * height - both)


def _standing_out(texts: Sequence[Evidence]) -> list[Evidence]:
    """The few texts that are clearly larger than all others; all of them if they are few and alike."""
    for number, (larger, smaller) in enumerate(pairwise(texts[: _FEW + 1])):
        if _height(larger) >= _STANDS_OUT * _height(smaller):
            return list(texts[: number + 1])
    return list(texts) if len(texts) <= _FEW else []


def _height(item: Evidence) -> float:
    return item.box[3] if item.box else 0.0


def _inside(query: Query, item: Evidence) -> bool:
    """Whether a text is in the part of the picture that the question names."""
    if query.scope.region is None or item.box is None:
        return True
    (left, top, width, height), (x, y, w, h) = query.scope.region, item.box
    return left <= x + w / 2 <= left + width and top <= y + h / 2 <= top + height


def _chance(query: Query, ranked: Sequence[Candidate]) -> float:
    """The chance of on-screen text, after excluding sources that the video lacks, or in which nothing was found."""
    there = {candidate.modality for candidate in ranked if not candidate.measured}

    def empty(source: Source) -> bool:
        found = MODALITY_OF[source] in there
        return source in query.lacks or (not found and (source == "picture" or query.examined(source)))

    sources: tuple[Source, ...] = ("picture", *LAYERS_OF)
    others = sum(query.reading.sources[source] for source in sources if empty(source))
    return min(1.0, query.reading.sources["text"] / max(1 - others, 1e-6))
