"""Small stills from a video's layers, which need no video file."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

import cv2
import numpy as np

from longtake.memory.library import Library, VideoRecord
from longtake.preprocess.media.frames import Picture, encode_jpeg, read_jpeg

_QUALITY = 80


def kept_still(library: Library, video: VideoRecord, at: float, width: int) -> bytes | None:
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
def _pictures(library: Library, video: str, key: str) -> tuple[list[float], list[str]]:
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
