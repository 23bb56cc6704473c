"""`cross_modal_search`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from longtake.language.text import comparable, without_bullet
from longtake.memory.records import Evidence, Modality
from longtake.memory.search.search_index import Document, Hit, SearchFilter
from longtake.memory.timespan import ParsedSpan, TimeSpan
from longtake.preprocess.pipeline.index_sync import make_readings_findable
from longtake.preprocess.pipeline.retrieval import retrieve_any
from longtake.tools.core.refinement import answered_before
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext

WINDOW = 60.0
MAX_RESULTS = 40
NEAREST = 5  # results that are shown if nothing fits
# Such a result leads to a place but proves nothing.
_PICTURE: dict[str, Any] = {"content": "a picture like what was looked for", "trusted": False}
Searched = Literal["speech", "scene_text", "visual", "audio"]

Query = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]


@tool(capabilities=("text_embedding",), cached=False)  # finds new closer readings too
def cross_modal_search(
    context: ToolContext,
    query: Annotated[
        list[Query], Field(min_length=1, max_length=10, description="What to look for, in one or several wordings.")
    ],
    modalities: Annotated[tuple[Searched, ...], Field(description="Where to search; by default everywhere.")] = (),
    within: Annotated[Timestamp | None, Field(description="Only in this span.")] = None,
    k: Annotated[int, Field(description="How many results, at most 40.")] = 10,
) -> ToolResult:
    """Find what is said, written, seen or heard; several wordings help; `k` up to 40.

    A weak result shares no word and little meaning with any query: it is the nearest there is, but often unrelated.
    """
    handles = [context.video] if context.chosen else list(context.videos.values())
    parsed = ParsedSpan(TimeSpan(start=0, end=0)) if within is None else context.span(within, window=WINDOW)
    span = None if within is None else parsed.span
    notes = [*parsed.notes]
    for each in handles:
        notes += make_readings_findable(each.record, each.library, context.index)
    if k != (count := min(MAX_RESULTS, max(1, k))):
        notes.append(f"k: from 1 to {MAX_RESULTS}, not {k}")
    where = SearchFilter(tuple(each.id for each in handles), tuple(modalities), span)
    found = retrieve_any(query, where, count, context.engines, context.index)
    fitting = [hit for hit in found if not hit.weak]
    hits = fitting or found[:NEAREST]
    earlier = [item for item in answered_before(context, [*query, context.question]) if _allowed(item, where)]
    if not fitting:
        asked = " or ".join(map(repr, query))
        names = ", ".join(each.record.name for each in handles)
        nearest = ": these results are only the nearest, and weak" if hits else ""
        notes.append(f"nothing about {asked} in {', '.join(modalities) or 'any modality'} of {names}{nearest}")
    results = [_shown(hit) | ({"weak": True} if hit.weak else {}) for hit in hits]
    evidence = [item for hit in hits for item in _evidence(hit)] + earlier
    return ToolResult(
        tool="cross_modal_search",
        output={"timestamp": results[0]["timestamp"] if results else None, "results": results},
        evidence=tuple({item.id: item for item in evidence}.values()),
        looked_at=tuple(span or TimeSpan(start=0, end=each.duration) for each in handles),
        notes=tuple(notes),
    )


def _allowed(item: Evidence, where: SearchFilter) -> bool:
    inside = where.span is None or item.span.overlaps(where.span)
    return inside and (not where.modalities or item.modality in where.modalities)


def _shown(hit: Hit) -> dict[str, Any]:
    """The best document of a search result."""
    document = hit.document
    return {
        "video": document.video,
        "timestamp": [document.span.start, document.span.end],
        "modality": document.modality,
        "text": document.text,
    }


def _evidence(hit: Hit) -> Iterator[Evidence]:
    """The documents of a search result, without texts that another one of them contains."""
    shown: list[tuple[Modality, str]] = []
    for match in sorted((hit, *hit.also), key=lambda match: -len(match.document.text)):
        document, text = match.document, comparable(match.document.text)
        if any(document.modality == modality and text in longer for modality, longer in shown):
            continue
        shown.append((document.modality, text))
        item = evidence_of_document(document, 0.0 if hit.weak else match.score)
        yield item if text else item.model_copy(update=_PICTURE)


def evidence_of_document(document: Document, score: float) -> Evidence:
    """A search result as evidence. The score of a weak result is 0, because it has nothing of the query."""
    return Evidence(
        video=document.video,
        span=document.span,
        modality=document.modality,
        content=without_bullet(document.text),
        score=round(score, 5),
        engine=document.engine,
        layer=document.layer,
        trusted=document.trusted,
    )
