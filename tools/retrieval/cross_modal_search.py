"""`cross_modal_search`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from longtake.language.text import without_bullet
from longtake.memory.records import Evidence, Modality
from longtake.memory.search.search_index import Document, Match, SearchFilter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.index_sync import make_readings_findable
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.tools.core.registry import tool
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext


@tool(capabilities=("text_embedding",), cached=False)  # finds new closer readings too
def cross_modal_search(
    context: ToolContext,
    query: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1), Field(description="What to look for, in words.")
    ],
    modalities: Annotated[list[Modality], Field(description="Where to search; an empty list searches everywhere.")],
    k: Annotated[int, Field(ge=1, le=50, description="How many results.")] = 5,
) -> ToolResult:
    """Find where something is said, written, heard or seen in the video.

    A weak result shares no word and little meaning with the query: it is the nearest there is, but often unrelated.
    """
    videos = (context.chosen,) if context.chosen else tuple(context.videos)
    handles = [context.videos[video] for video in videos]
    notes = [said for each in handles for said in make_readings_findable(each.record, each.library, context.index)]
    hits = retrieve(query, SearchFilter(videos, tuple(modalities)), k, context.engines, context.index)
    results = [
        _shown(hit)
        | {"weak": hit.weak}
        | {"also": [_shown(match) for match in hit.also if match.document.text], "video": hit.document.video}
        for hit in hits
    ]
    looked_at = tuple(TimeSpan(start=0, end=each.duration) for each in handles)
    if all(hit.weak for hit in hits):
        names = ", ".join(each.record.name for each in handles)
        nearest = ": these results are only the nearest, and weak" if hits else ""
        notes.append(f"nothing about {query!r} in {', '.join(modalities) or 'any modality'} of {names}{nearest}")
    return ToolResult(
        tool="cross_modal_search",
        output={"timestamp": results[0]["timestamp"] if results else None, "results": results},
        evidence=tuple(
            evidence_of_document(match.document, 0.0 if hit.weak else match.score)
            for hit in hits
            for match in (hit, *hit.also)
            if match.document.text  # a similar picture leads to a place but states nothing
        ),
        looked_at=looked_at,
        notes=tuple(notes),
    )


def _shown(match: Match) -> dict[str, Any]:
    """A search result for the controller."""
    document = match.document
    return {
        "timestamp": [document.span.start, document.span.end],
        "modality": document.modality,
        "text": document.text,
        "score": round(match.score, 5),
    }


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
