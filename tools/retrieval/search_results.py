"""Formats search results for people and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from longtake.language.terms import matched_terms
from longtake.memory.records import WORDS_WIDTH, Modality, display_name
from longtake.memory.search.fusion import RERANKED, WORDS, contribution
from longtake.memory.search.search_types import Hit, Match, Signal

_PICTURE = "(picture)"  # shown for moments without text
_WEAK = "  (weak)"


def by_video(hits: Sequence[Hit]) -> Mapping[str, list[Hit]]:
    """Results grouped by video id, the video with the best result first."""
    grouped: dict[str, list[Hit]] = {}
    for hit in hits:
        grouped.setdefault(hit.moment.video, []).append(hit)
    return grouped


def result_lines(hit: Hit, query: str, constant: int | None) -> list[str]:
    """A result for people: its best moment, marked if weak, then the other texts of the event.

    Args:
        hit: the result.
        query: the query.
        constant: of reciprocal-rank fusion, to explain what found each moment; None for no explanation.
    """
    first = f"{_line(hit)}{_WEAK if hit.weak else ''}"
    if constant is None:
        return [first, *_other_texts(hit)]
    return [first, *_explained(hit, query, constant), *_other_texts(hit), *_joined(hit)]


def result_row(hit: Hit, query: str, constant: int) -> dict[str, Any]:
    """A result as JSON: its best moment and its event."""
    event = {"start": hit.span.start, "end": hit.span.end}
    also = [_row(match, query, constant) for match in hit.also]
    return {"video": hit.moment.video} | _row(hit, query, constant) | {"weak": hit.weak, "event": event, "also": also}


def _row(match: Match, query: str, constant: int) -> dict[str, Any]:
    moment = match.moment
    return {
        "start": moment.span.start,
        "end": moment.span.end,
        "modality": moment.modality,
        "text": moment.text,
        "score": round(match.score, 5),
        "signals": {
            name: {
                "rank": signal.rank,
                "score": round(signal.score, 4),
                "adds": round(contribution(signal.rank, constant), 5),
            }
            for name, signal in match.signals.items()
        },
        "terms": matched_terms(query, moment.text),
    }


def _line(match: Match) -> str:
    moment = match.moment
    return f"{moment.span}  {display_name(moment.modality):<{WORDS_WIDTH}}  {moment.text or _PICTURE}"


def _other_texts(hit: Hit) -> list[str]:
    """A line for each text of the event that isn't in its best moment."""
    best: dict[str, Match] = {"": hit, hit.moment.text: hit}
    for match in hit.also:
        best.setdefault(match.moment.text, match)
    return [f"  {_line(match)}" for match in best.values() if match is not hit]


def _explained(match: Match, query: str, constant: int) -> list[str]:
    """The fused score and a line for each signal."""
    lines = [f"  score {match.score:.5f}"]
    for name, signal in match.signals.items():
        adds = f"{contribution(signal.rank, constant):.5f}" if name != RERANKED else " " * 7
        terms = f": {', '.join(matched_terms(query, match.moment.text))}" if name == WORDS else ""
        lines.append(f"    {adds}  {_measured(name, signal)}{terms}")
    return lines


def _joined(hit: Hit) -> list[str]:
    """What found the other moments of the event: for each modality and signal their number and the best rank."""
    found: dict[tuple[Modality, str], list[Signal]] = {}
    for match in hit.also:
        for name, signal in match.signals.items():
            found.setdefault((match.moment.modality, name), []).append(signal)
    lines = [f"  event {hit.span}, merged from {len(hit.also) + 1}; the best of those that joined:"] if found else []
    for (modality, name), signals in found.items():
        best = min(signals, key=attrgetter("rank"))
        lines.append(f"    {display_name(modality):<{WORDS_WIDTH}}  {len(signals):>3} found  {_measured(name, best)}")
    return lines


def _measured(name: str, signal: Signal) -> str:
    vectors = f"cosine {signal.score:.2f} in {name}"
    score = {WORDS: f"BM25 {signal.score:.2f}", RERANKED: f"reranked {signal.score:.1f}"}.get(name, vectors)
    return f"rank {signal.rank:<3} {score}"
