"""`cross_modal_search`."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from longtake.console import listed
from longtake.language.text import comparable
from longtake.memory.records import Modality, Moment
from longtake.memory.search.search_types import Hit, Match, SearchFilter
from longtake.memory.timespan import ParsedSpan, TimeSpan
from longtake.preprocess.layers.entities import entity_of
from longtake.preprocess.layers.sections import Section, sections_of
from longtake.preprocess.layers.segments import Segment, segments_of
from longtake.preprocess.pipeline.index_sync import make_readings_findable
from longtake.preprocess.pipeline.retrieval import retrieve_any
from longtake.tools.core.refinement import answered_before
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext

WINDOW = 60.0
MAX_RESULTS = 40
NEAREST = 5  # results that are shown if nothing fits
# Such a result leads to a place but proves nothing.
_PICTURE: dict[str, Any] = {"text": "a picture like what was looked for", "trusted": False}
Searched = Literal["speech", "scene_text", "visual", "audio"]
Level = Literal["moment", "segment", "section", "entity"]
_DEEP = 60  # moments of which a search for segments or sections makes them
_RANK = 60  # Cormack's constant of reciprocal rank fusion
_PLACES = 12  # of an entity
_EACH = 2  # moments that show why one was found

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
    level: Annotated[
        Level, Field(description="What to find: moments, the segments or sections they are in, or who and what.")
    ] = "moment",
) -> ToolResult:
    """Find what is said, written, seen or heard; several wordings help; `k` up to 40; `entity` finds who and what.

    A weak result shares no word and little meaning with any query: it is the nearest there is, but often unrelated. A
    segment or section is found by all of its moments together, whatever their modality.
    """
    handles = [context.video] if context.chosen else list(context.videos.values())
    parsed = ParsedSpan(TimeSpan(start=0, end=0)) if within is None else context.span(within, window=WINDOW)
    span = None if within is None else parsed.span
    notes = [*parsed.notes]
    for each in handles:
        notes += make_readings_findable(each.record, each.library, context.index)
    if k != (count := min(MAX_RESULTS, max(1, k))):
        notes.append(f"k: from 1 to {MAX_RESULTS}, not {k}")
    sought: tuple[Modality, ...] = ("metadata",) if level == "entity" else tuple(modalities)
    where = SearchFilter(tuple(each.id for each in handles), sought, span)
    deep = count if level in ("moment", "entity") else _DEEP
    found = retrieve_any(query, where, deep, context.engines, context.index)
    fitting = [hit for hit in found if not hit.weak]
    hits = fitting or found[:NEAREST]
    earlier = [item for item in answered_before(context, [*query, context.question]) if _allowed(item, where)]
    if not fitting:
        asked = " or ".join(map(repr, query))
        names = ", ".join(each.record.name for each in handles)
        everywhere = "the entities" if level == "entity" else "any modality"
        nearest = ": these results are only the nearest, and weak" if hits else ""
        nearest += "; it may be shown or said all the same: search moments" if level == "entity" else ""
        notes.append(f"nothing about {asked} in {', '.join(modalities) or everywhere} of {names}{nearest}")
    if level in ("segment", "section"):
        results, evidence = _parts(context, level, hits, count)
    elif level == "entity":
        results, evidence = _entities(context, hits)
    else:
        results = [_result_row(hit) | ({"weak": True} if hit.weak else {}) for hit in hits]
        evidence = [item for hit in hits for item in _evidence(hit)] + earlier
    return ToolResult(
        tool="cross_modal_search",
        output={"timestamp": results[0]["timestamp"] if results else None, "results": results},
        evidence=tuple({item.id: item for item in evidence}.values()),
        looked_at=tuple(span or TimeSpan(start=0, end=each.duration) for each in handles),
        notes=tuple(notes),
    )


def _parts(
    context: ToolContext, level: Level, hits: Sequence[Hit], count: int
) -> tuple[list[dict[str, Any]], list[Moment]]:
    """The segments or sections that moments are in, best first, and the best moments of each.

    What counts is the best moment of each modality, as reciprocal ranks added up: what is said and shown agrees.
    """
    parts: dict[str, list[Section | Segment]] = {}
    scores: defaultdict[tuple[str, int], dict[Modality, float]] = defaultdict(dict)
    moments: defaultdict[tuple[str, int], list[Moment]] = defaultdict(list)
    matches = [(match, hit.weak) for hit in hits for match in (hit, *hit.also)]
    for rank, (match, weak) in enumerate(matches):
        moment = match.moment
        handle = context.videos[moment.video]
        if handle.id not in parts:
            read = segments_of if level == "segment" else sections_of
            parts[handle.id] = list(read(handle.library, handle.record))
        middle = (moment.span.start + moment.span.end) / 2
        place = bisect_right(parts[handle.id], middle, key=attrgetter("start")) - 1
        if place < 0:
            continue
        own = scores[handle.id, place]
        own[moment.modality] = max(own.get(moment.modality, 0.0), 1 / (_RANK + rank))
        moments[handle.id, place].append(_scored(match, weak))
    ranked = sorted(scores, key=lambda key: -sum(scores[key].values()))[:count]
    if not any(parts.values()):
        raise ToolError("unavailable", f"There are no {level}s in these videos.", "Search moments.")
    results = []
    for video, place in ranked:
        part = parts[video][place]
        text = f"{part.title}. {part.text}" if isinstance(part, Section) else part.text
        results.append({"video": video, "timestamp": [part.start, part.end], "text": text})
    return results, [item for key in ranked for item in moments[key][:_EACH] if item.text]


def _entities(context: ToolContext, hits: Sequence[Hit]) -> tuple[list[dict[str, Any]], list[Moment]]:
    """The entities of moments, and where each is, as evidence."""
    results, evidence = list[dict[str, Any]](), list[Moment]()
    places = {(hit.moment.video, hit.moment.layer) for hit in hits}
    # The layer that the index was made of: another one may be in use by now.
    read = {place: context.videos[place[0]].library.layers(place[0]).get("entities", place[1]) for place in places}
    known = {
        place: {entity.text: entity for entity in map(entity_of, layer.items())} if layer else {}
        for place, layer in read.items()
    }
    for hit in hits:
        moment = hit.moment
        entity = known[moment.video, moment.layer].get(moment.text)
        if entity is None:  # it was made again meanwhile
            continue
        where = listed([str(TimeSpan(start=start, end=end)) for start, end in entity.spans], _PLACES)
        results.append({"video": moment.video, "timestamp": list(entity.spans[0]), "text": entity.text})
        evidence.append(hit.scored.model_copy(update={"text": f"{entity.text}; at {where}"}))
    return results, evidence


def _allowed(item: Moment, where: SearchFilter) -> bool:
    inside = where.span is None or item.span.overlaps(where.span)
    return inside and (not where.modalities or item.modality in where.modalities)


def _result_row(hit: Hit) -> dict[str, Any]:
    """The best moment of a search result."""
    moment = hit.moment
    return {
        "video": moment.video,
        "timestamp": [moment.span.start, moment.span.end],
        "modality": moment.modality,
        "text": moment.text,
    }


def _evidence(hit: Hit) -> Iterator[Moment]:
    """The moments of a search result, without texts that another one of them contains."""
    shown: list[tuple[Modality, str]] = []
    for match in sorted((hit, *hit.also), key=lambda match: -len(match.moment.text)):
        moment, text = match.moment, comparable(match.moment.text)
        if any(moment.modality == modality and text in longer for modality, longer in shown):
            continue
        shown.append((moment.modality, text))
        item = _scored(match, hit.weak)
        yield item if text else item.model_copy(update=_PICTURE)


def _scored(match: Match, weak: bool) -> Moment:
    """A moment that was found. The score of a weak one is 0, because it has nothing of the query."""
    return match.moment.model_copy(update={"score": 0.0}) if weak else match.scored
