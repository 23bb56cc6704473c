"""`cross_modal_search`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from longtake.memory.index import Document, SearchFilter
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.retrieval import retrieve
from longtake.tools.context import ToolContext
from longtake.tools.registry import tool
from longtake.tools.result import ToolResult


@tool(capabilities=("text_embedding",))
def cross_modal_search(
    context: ToolContext,
    query: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1), Field(description="What to look for, in words.")
    ],
    modalities: Annotated[list[Modality], Field(description="Where to look; an empty list looks everywhere.")],
    k: Annotated[int, Field(ge=1, le=50, description="How many results.")] = 5,
) -> ToolResult:
    """Find where a query is said, written or heard in the video."""
    videos = (context.chosen,) if context.chosen else tuple(context.videos)
    hits = retrieve(query, SearchFilter(videos, tuple(modalities)), k, context.engines, context.index)
    results = [
        {
            "timestamp": [hit.document.span.start, hit.document.span.end],
            "modality": hit.document.modality,
            "text": hit.document.text,
            "score": round(hit.score, 5),
            "video": hit.document.video,
        }
        for hit in hits
    ]
    looked_at = tuple(TimeSpan(start=0, end=context.videos[video].duration) for video in videos)
    names = ", ".join(context.videos[video].record.name for video in videos)
    notes = () if hits else (f"nothing about {query!r} in {', '.join(modalities) or 'any modality'} of {names}",)
    return ToolResult(
        tool="cross_modal_search",
        output={"timestamp": results[0]["timestamp"] if results else None, "results": results},
        evidence=tuple(evidence_of_document(hit.document, hit.score) for hit in hits),
        looked_at=looked_at,
        notes=notes,
    )


def evidence_of_document(document: Document, score: float) -> Evidence:
    """A found document as evidence."""
    return Evidence(
        video=document.video,
        span=document.span,
        modality=document.modality,
        content=document.text,
        score=round(score, 5),
        engine=document.engine,
        layer=document.layer,
        trusted=document.trusted,
    )
