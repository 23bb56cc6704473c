"""The videos of a run for its page: addresses, lanes of the timeline, and small stills, which need no video file."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Literal

import cv2
import numpy as np

from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.pages.media_types import playable
from longtake.agent.traces.tree import one_line
from longtake.errors import LongtakeError
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.records import Record
from longtake.preprocess.layers.layer_moments import moments_of
from longtake.preprocess.media.frames import Picture, encode_jpeg, read_jpeg
from longtake.preprocess.media.sources import media_of, source
from longtake.prompts import data_url

LaneName = Literal["shots", "speech", "scene_text", "sounds", "moments"]
_NAMES: tuple[LaneName, ...] = ("shots", "speech", "scene_text", "sounds", "moments")
_LANE_OF = {
    "subtitles": "speech",
    "speech": "speech",
    "scene_text": "scene_text",
    "sounds": "sounds",
    "moments": "moments",
}


class LaneItem(Record):
    """An item on a lane; times are seconds."""

    start: float
    end: float
    text: str


class Lane(Record):
    """A lane, with its items sorted by start."""

    name: LaneName
    items: tuple[LaneItem, ...]


class Lanes(Record):
    """Every lane, from top to bottom."""

    lanes: tuple[Lane, ...]


def lanes_of(library: LibraryStore, video: VideoRecord) -> Lanes:
    """The lanes of a video; a lane without a built layer has no items."""
    layers = {name: layer for name in ("shots", *_LANE_OF) if (layer := library.layer(video, name))}
    found: dict[str, list[LaneItem]] = defaultdict(list)
    if shots := layers.pop("shots", None):
        found["shots"] = [LaneItem(start=i["start"], end=i["end"], text=i["transition"]) for i in shots.items()]
    lane_of_key = {layer.key: _LANE_OF[name] for name, layer in layers.items()}
    for moment in moments_of(video.id, layers):
        item = LaneItem(start=moment.span.start, end=moment.span.end, text=moment.text)
        found[lane_of_key[moment.layer]].append(item)
    for items in found.values():
        items.sort(key=lambda item: (item.start, item.end))
    return Lanes(lanes=tuple(Lane(name=name, items=tuple(found[name])) for name in _NAMES))


_QUALITY = 80


def kept_still(library: LibraryStore, video: VideoRecord, at: float, width: int) -> bytes | None:
    """The keyframe of a second, as JPEG of at most `width` pixels; None while there are no keyframes.

    Raises:
        LibraryError: when it is missing or damaged.
    """
    keyframes = library.layer(video, "keyframes")
    if not keyframes or not keyframes.count:
        return None
    times, names = _pictures(library, video.id, keyframes.key)
    return small_jpeg(read_jpeg(keyframes.path / names[max(0, bisect_right(times, at) - 1)]), width)


def small_jpeg(picture: Picture, width: int) -> bytes:
    """A picture as JPEG, at most `width` pixels wide."""
    return encode_jpeg(_shrunk(picture, width), _QUALITY)


@lru_cache(maxsize=16)
def _pictures(library: LibraryStore, video: str, key: str) -> tuple[list[float], list[str]]:
    """Start and file of each second's picture, in order."""
    layer = library.layers(video).get("keyframes", key)
    seconds = [item for item in layer.items() if item["kind"] == "second"] if layer else []
    return [item["start"] for item in seconds], [item["file"] for item in seconds]


def _shrunk(picture: Picture, width: int) -> Picture:
    high, wide = picture.shape[:2]
    if wide <= width:
        return picture
    smaller = cv2.resize(picture, (width, max(1, round(high * width / wide))), interpolation=cv2.INTER_AREA)
    return np.asarray(smaller, dtype=np.uint8)


STILL_BYTES = 2_000_000  # for all stills of a page, as JPEG
_WIDTH = 480  # pixels of a still
_SPREAD = 24  # stills spread over a video, besides those of places cited or looked at
_INTO = 1.0  # seconds into a place at which its still is taken: content may fade in
_MAX_TEXT = 300  # characters of an item on a lane


def videos_of(
    run: LenientRun, library: LibraryStore | None, address: Callable[[VideoRecord], str | None]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The videos of a run for its page, and a sentence for each one that isn't fully available."""
    shown: list[dict[str, Any]] = []
    remarks: list[str] = []
    for video_id in run.asked.videos:
        name = run.known.names.get(video_id, video_id)
        video: dict[str, Any] = {"id": video_id, "name": name, "duration": run.known.videos.get(video_id, 0.0)}
        video |= {"width": None, "playable": False, "file": None, "lanes": [], "stills": []}
        try:
            record = library.get(video_id) if library else None
            if library and record:
                share = STILL_BYTES // len(run.asked.videos)
                video |= _from_library(run, library, record, share, address)
            else:
                remarks.append(f"{name} isn't in the library: its pictures and timeline aren't shown.")
        except LongtakeError as error:
            remarks.append(str(error))
        shown.append(video)
    return shown, remarks


def _from_library(
    run: LenientRun,
    library: LibraryStore,
    video: VideoRecord,
    most_bytes: int,
    address: Callable[[VideoRecord], str | None],
) -> dict[str, Any]:
    """A video's data from the library."""
    media = media_of(library, video)
    plays = media is not None and playable(media) and source(video) is not None
    where = address(video) if plays else None
    lanes = lanes_of(library, video).model_dump()["lanes"]
    for item in (item for lane in lanes for item in lane["items"]):
        item["text"] = one_line(item["text"], _MAX_TEXT)
    stills = list(_stills(run, library, video, most_bytes))
    return {
        "name": video.name,
        "duration": video.duration,
        "width": _WIDTH if stills or (media and media.video) else None,
        "playable": where is not None,
        "file": where,
        "lanes": lanes,
        "stills": stills,
    }


def _stills(run: LenientRun, library: LibraryStore, video: VideoRecord, most_bytes: int) -> Iterator[dict[str, Any]]:
    """Stills as data URLs, most important first, as long as there is room."""
    left = most_bytes
    for at in dict.fromkeys(float(int(time)) for time in _times(run, video)):
        jpeg = kept_still(library, video, at, _WIDTH)
        if jpeg is None or len(jpeg) > left:
            return
        left -= len(jpeg)
        yield {"at": at, "url": data_url("image/jpeg", jpeg)}


def _times(run: LenientRun, video: VideoRecord) -> Iterator[float]:
    """Seconds for stills: cited or closest places, then spread over the video, then places looked at."""
    cited = run.answer.places if run.answer else ()
    places = [(each.video, each.start, each.end) for each in cited]
    looked = [span for call in run.calls for span in call.spans]
    yield from (start + min(_INTO, (end - start) / 2) for of, start, end in places if of == video.id)
    yield from (video.duration * (number + 0.5) / _SPREAD for number in range(_SPREAD))
    yield from (start + min(_INTO, (end - start) / 2) for of, start, end in looked if of == video.id)
