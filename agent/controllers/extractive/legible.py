"""Reads out what is written, if a question asks for nothing else: "What does the large text say?"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.gathering.text_lines import best_readings
from longtake.agent.query.query import LAYERS_OF, MODALITY_OF, Query, Source
from longtake.language.text import comparable
from longtake.language.words import LAYOUT
from longtake.memory.records import Evidence

_FEW = 4  # texts that are all quoted
_STANDS_OUT = 1.5  # times the height of the next smaller text


def legible(query: Query, gathered: Gathered, ranked: Sequence[Candidate]) -> tuple[list[Evidence], float]:
    """The texts that a question without content words asks for, the largest first, and the chance that it does.

    None, with chance 0, if the question asks for something in particular, or if there is too much to quote.
    """
    if (
        "text" not in query.sources
        or query.source not in ("text", "picture")
        or set(query.words) - LAYOUT
        or query.quoted
        or query.scope.anchors
    ):
        return [], 0.0
    window = gathered.window or query.scope.span
    read = [each.evidence for each in ranked if each.modality == "scene_text" and each.evidence.box]
    there = [item for item in read if (window is None or window.overlaps(item.span)) and _inside(query, item)]
    texts = sorted(_whole(best_readings(there)), key=_height, reverse=True)
    if query.scope.largest or len(texts) > _FEW:
        texts = _standing_out(texts)
    return texts, _chance(query, ranked) if texts else 0.0


def _whole(texts: Sequence[Evidence]) -> list[Evidence]:
    """The texts without those that are a part of another one: an incomplete reading."""
    plain = [comparable(item.content) for item in texts]
    return [
        item
        for item, own in zip(texts, plain, strict=True)
        if not any(own != other and own in other for other in plain)
    ]


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
