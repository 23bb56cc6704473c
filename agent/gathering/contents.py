"""The contents of the open videos, for a language model: what each is about, its parts, and who and what is in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from longtake.errors import LibraryError
from longtake.language.text import as_sentence
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.timespan import clock
from longtake.preprocess.layers.entities import Entity, entities_of
from longtake.preprocess.layers.sections import Section, overview_of, sections_of
from longtake.preprocess.layers.segments import Segment, segments_of
from longtake.tools.core.tool_context import ToolContext, VideoHandle

_SHARE = 2.4  # characters of the contents of all videos for each token of evidence: 600 tokens beside 1,000
_NAMES = 0.25  # share of them for entities
_ROW, _NAME, _OVERVIEW = 120, 70, 500  # characters of a segment, of an entity and of the overview
_KINDS = ("person", "place", "thing", "name")  # in the order in which they are told
_TIMES, _TITLE = 24, 20  # characters of a row's times, and the fewest of a title
_PLACES = 3  # of an entity
_IN_IT, _MORE = "Who and what is in it: ", 10  # before the entities, and characters to say how many more there are

Level = TypeVar("Level")


def contents(tools: ToolContext) -> tuple[str, ...]:
    """Lines about each video: an overview, its parts as finely as there is room for, its entities.

    A damaged layer leaves out what it would tell.
    """
    lines: list[str] = []
    handles = list(tools.videos.values())
    characters = int(_SHARE * tools.settings.gathering.tokens_for(tools.settings.controller.engine))
    for handle in handles:
        name = [f"{' '.join(handle.record.name.split())}:"] if len(handles) > 1 else []
        own = _of_video(handle, characters // len(handles) - sum(map(len, name)))
        lines += [*name, *own] if own else []
    return tuple(lines)


def _of_video(handle: VideoHandle, characters: int) -> list[str]:
    overview = _cut(overview_of(handle.library, handle.record), min(_OVERVIEW, characters // 4))
    sections = _levels(sections_of, handle)
    room = int(characters * (1 - _NAMES)) - len(overview)
    parts = _finest(sections, _levels(segments_of, handle), room)
    found = sorted(_levels(entities_of, handle), key=lambda each: _KINDS.index(each.kind))
    entities = _fitting([_entity(each) for each in found], characters - room - len(overview) - len(_IN_IT) - _MORE)
    listed = [f"{_IN_IT}{'; '.join(entities)}"] if entities else []
    return [*([overview] if overview else []), *parts, *listed]


def _finest(sections: Sequence[Section], segments: Sequence[Segment], room: int) -> list[str]:
    """The segments if they fit or there is nothing else, else the sections, with as much of each as fits."""
    rows = [_row(each.start, each.end, each.brief(_ROW)) for each in segments]
    if rows and sum(map(len, rows)) <= room:
        return rows
    told = [_row(each.start, each.end, f"{as_sentence(each.title)} {each.text}") for each in sections]
    rows = told or rows
    most = _most([len(row) for row in rows], room)
    return [_cut(row, most) for row in rows] if most >= _TIMES + _TITLE else []


def _most(lengths: Sequence[int], room: int) -> int:
    """How long each may be so that all fit, if the shorter ones leave their room to the longer ones."""
    for number, length in enumerate(sorted(lengths)):
        share = room // (len(lengths) - number)
        if length > share:
            return share
        room -= length
    return max(lengths, default=0)


def _row(start: float, end: float, text: str) -> str:
    return f"[{clock(start)}-{clock(end)}] {' '.join(text.split())}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _entity(entity: Entity) -> str:
    places = ", ".join(clock(start) for start, _ in entity.spans[:_PLACES])
    left = len(entity.spans) - _PLACES
    more = f" and {left} more" if left > 0 else ""
    return f"{_cut(entity.text, _NAME)} [{places}{more}]"


def _fitting(texts: Sequence[str], room: int) -> list[str]:
    """The first texts that fit, and how many are left out."""
    kept: list[str] = []
    for text in texts:
        room -= len(text) + 2
        if room < 0:
            return [*kept, f"{len(texts) - len(kept)} more"] if kept else []
        kept.append(text)
    return kept


def _levels(read: Callable[[LibraryStore, VideoRecord], list[Level]], handle: VideoHandle) -> list[Level]:
    with suppress(LibraryError):
        return read(handle.library, handle.record)
    return []
