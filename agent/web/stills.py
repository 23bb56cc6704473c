"""Stills: the picture of a video at a time, small enough to be shown under the pointer."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

import cv2
import numpy as np

from longtake.agent.web.refusals import Refusal
from longtake.agent.web.service import source
from longtake.agent.web.turns import Turns
from longtake.memory.library import Library, VideoRecord
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.frames import Picture, encode_jpeg, read_frames, read_jpeg
from longtake.preprocess.media import probe

WIDEST = 640  # pixels
_QUALITY = 80
_DECODING = Turns(2, "Other pictures are being decoded: ask again in a while.", again=1)


def still(library: Library, video: VideoRecord, at: float, width: int) -> bytes:
    """The picture at a second, as JPEG: the keyframe of that second, or the decoded frame while there are none.

    Raises:
        Refusal: 404 when the video has no picture, or its file is gone.
    """
    return kept_still(library, video, at, width) or _jpeg(_decoded(video, at), width)


def kept_still(library: Library, video: VideoRecord, at: float, width: int) -> bytes | None:
    """The keyframe of a second, as JPEG, which needs no file of the video; None while there are none.

    Raises:
        LibraryError: when it is missing or damaged.
    """
    keyframes = library.layer(video, "keyframes")
    if not keyframes or not keyframes.count:
        return None
    times, names = _pictures(library, video.id, keyframes.key)
    return _jpeg(read_jpeg(keyframes.path / names[max(0, bisect_right(times, at) - 1)]), width)


@lru_cache(maxsize=16)
def _pictures(library: Library, video: str, key: str) -> tuple[list[float], list[str]]:
    """Start and file of every second's picture, in their order."""
    layer = library.layers(video).get("keyframes", key)
    seconds = [item for item in layer.items() if item["kind"] == "second"] if layer else []
    return [item["start"] for item in seconds], [item["file"] for item in seconds]


def _decoded(video: VideoRecord, at: float) -> Picture:
    path = source(video)
    if path is None:
        raise Refusal(404, f"The file of {video.name} is no longer where it was indexed: add it again.")
    with _DECODING.one():
        media = probe(path)
        if media.video:
            for frame in read_frames(path, media, TimeSpan(start=at, end=at), lambda: None):
                return frame.bgr(WIDEST)
    raise Refusal(404, f"{video.name} has no picture at that time.")


def _jpeg(picture: Picture, width: int) -> bytes:
    return encode_jpeg(_shrunk(picture, width), _QUALITY)


def _shrunk(picture: Picture, width: int) -> Picture:
    high, wide = picture.shape[:2]
    if wide <= width:
        return picture
    smaller = cv2.resize(picture, (width, max(1, round(high * width / wide))), interpolation=cv2.INTER_AREA)
    return np.asarray(smaller, dtype=np.uint8)
