"""The lanes of the timeline: the items of a video's layers, with times and short texts."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal

from longtake.memory.library import Library, VideoRecord
from longtake.memory.records import Record
from longtake.preprocess.layers.documents import documents_of

LaneName = Literal["shots", "speech", "scene_text", "sounds", "moments"]
_NAMES: tuple[LaneName, ...] = ("shots", "speech", "scene_text", "sounds", "moments")
_LANE_OF = {
    "subtitles": "speech",
    "speech": "speech",
    "scene_text": "scene_text",
    "sounds": "sounds",
    "moments": "moments",
}


class Item(Record):
    """An item on a lane; times are seconds."""

    start: float
    end: float
    text: str


class Lane(Record):
    """A lane, with its items sorted by start."""

    name: LaneName
    items: tuple[Item, ...]


class Lanes(Record):
    """Every lane, from top to bottom."""

    lanes: tuple[Lane, ...]


def lanes_of(library: Library, video: VideoRecord) -> Lanes:
    """The lanes of a video; a lane without a built layer has no items."""
    layers = {name: layer for name in ("shots", *_LANE_OF) if (layer := library.layer(video, name))}
    found: dict[str, list[Item]] = defaultdict(list)
    if shots := layers.pop("shots", None):
        found["shots"] = [Item(start=i["start"], end=i["end"], text=i["transition"]) for i in shots.items()]
    lane_of_key = {layer.key: _LANE_OF[name] for name, layer in layers.items()}
    for document in documents_of(video.id, layers):
        item = Item(start=document.span.start, end=document.span.end, text=document.text)
        found[lane_of_key[document.layer]].append(item)
    return Lanes(lanes=tuple(Lane(name=name, items=_by_time(found[name])) for name in _NAMES))


def _by_time(items: list[Item]) -> tuple[Item, ...]:
    return tuple(sorted(items, key=lambda item: (item.start, item.end)))
