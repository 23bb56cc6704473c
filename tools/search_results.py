"""What `longtake search` shows of its results, for people and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from longtake.memory.fusion import WORDS, contribution
from longtake.memory.index import Hit, Match, Signal
from longtake.memory.terms import matched_terms

_PICTURE = "(picture)"  # shown for what has no text


def by_video(hits: Sequence[Hit]) -> Mapping[str, list[Hit]]:
    """Results under the id of their video, the video with the best result first."""
    grouped: dict[str, list[Hit]] = {}
    for hit in hits:
        grouped.setdefault(hit.document.video, []).append(hit)
    return grouped


def result_lines(hit: Hit, query: str, constant: int | None) -> list[str]:
    """A result for people: its best document, then the other texts of the event.

    Args:
        hit: the result.
        query: what was looked for.
        constant: of reciprocal-rank fusion, to say also what found each document and what it added; None: do not say.
    """
    lines = [_line(hit)]
    if constant is None:
        said = {hit.document.text, ""}
        for match in hit.also:
            if match.document.text not in said:
                said.add(match.document.text)
                lines.append(f"  {_line(match)}")
        return lines
    lines += _explained(hit, query, constant)
    if hit.also:
        lines.append(f"  event {hit.span}, merged from {len(hit.also) + 1}:")
    for match in hit.also:
        lines += [f"  {_line(match)}", *(f"  {line}" for line in _explained(match, query, constant))]
    return lines


def result_row(hit: Hit, query: str, constant: int) -> dict[str, Any]:
    """A result as JSON: its best document, and the event it stands for."""
    event = {"start": hit.span.start, "end": hit.span.end}
    also = [_row(match, query, constant) for match in hit.also]
    return {"video": hit.document.video} | _row(hit, query, constant) | {"event": event, "also": also}


def _row(match: Match, query: str, constant: int) -> dict[str, Any]:
    document = match.document
    return {
        "start": document.span.start,
        "end": document.span.end,
        "modality": document.modality,
        "text": document.text,
        "score": round(match.score, 5),
        "signals": {
            name: {
                "rank": signal.rank,
                "score": round(signal.score, 4),
                "adds": round(contribution(signal.rank, constant), 5),
            }
            for name, signal in match.signals.items()
        },
        "terms": matched_terms(query, document.text),
    }


def _line(match: Match) -> str:
    document = match.document
    return f"{document.span}  {document.modality:<10}  {document.text or _PICTURE}"


def _explained(match: Match, query: str, constant: int) -> list[str]:
    """The fused score and a line for each signal."""
    lines = [f"  score {match.score:.5f}"]
    for name, signal in match.signals.items():
        adds = contribution(signal.rank, constant)
        lines.append(f"    {adds:.5f}  rank {signal.rank:<3} {_measured(name, signal, match, query)}")
    return lines


def _measured(name: str, signal: Signal, match: Match, query: str) -> str:
    if name == WORDS:
        return f"BM25 {signal.score:.2f}: {', '.join(matched_terms(query, match.document.text))}"
    return f"cosine {signal.score:.2f} in {name}"
