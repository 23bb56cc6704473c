"""Which frames of a span a model is shown: more where the picture changes more, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.endpoints.visual_question import TimedJpeg
from longtake.preprocess.media.frames import Picture, encode_jpeg, read_frames
from longtake.preprocess.media.media import MediaInfo

_REST = 0.5  # pictures a second of a picture that rests
_PER_CHANGE = 2.0  # pictures for each time that as much as the whole picture shows something else
_MAX_AT_ONCE = 0.25  # of the picture, that counts in one frame: a cut needs no more than one look
_STEP = 0.02  # seconds in which choosing is done; no ordinary file has shorter frames
_QUALITY = 80
_LONG_SIDE = 896  # pixels that a model is shown of the long side, where the budget of bytes allows
_SHRINK = 0.75
_MIN_SIDE = 160


def choose_times(span: TimeSpan, changes: Iterable[Mapping[str, Any]], most: int) -> list[float]:
    """At most so many times of a span, in order: the middles of parts in which equally much changes.

    Args:
        span: seconds; one without length gives its own moment.
        changes: items of the layer `changes`; without any the times are evenly apart.
        most: times.
    """
    if span.length == 0:
        return [span.start]
    bounds = np.linspace(span.start, span.end, max(2, ceil(span.length / _STEP)) + 1)
    weight = np.full(len(bounds) - 1, _REST * (bounds[1] - bounds[0]))
    for item in changes:
        times = np.asarray(item["times"])
        inside = (times >= span.start) & (times < span.end)
        places = np.searchsorted(bounds, times[inside], side="right") - 1
        np.add.at(weight, places, _PER_CHANGE * np.minimum(np.asarray(item["area"])[inside], _MAX_AT_ONCE))
    reached = np.concatenate([[0.0], np.cumsum(weight)])
    count = min(most, ceil(reached[-1]) + 1)
    chosen = np.interp((np.arange(count) + 0.5) / count * reached[-1], reached, bounds)
    return [round(float(time), 3) for time in chosen]


def read_chosen(
    path: Path,
    media: MediaInfo,
    times: Sequence[float],
    most_bytes: int,
    check_cancelled: Callable[[], None],
) -> list[TimedJpeg]:
    """The frames shown at these times, each once, as JPEG files; all are shrunk alike until they fit together.

    Raises:
        MediaError: when the file has no picture or cannot be opened.
    """
    pictures: dict[float, Picture] = {}
    for time in times:
        shown = next(read_frames(path, media, TimeSpan(start=time, end=time), check_cancelled), None)
        if shown is not None and shown.time not in pictures:
            pictures[shown.time] = shown.bgr(_LONG_SIDE)
    side = _LONG_SIDE
    while True:
        jpegs = [TimedJpeg(round(time, 3), _encoded(picture, side)) for time, picture in pictures.items()]
        if sum(len(each.jpeg) for each in jpegs) <= most_bytes:
            return jpegs
        if side * _SHRINK < _MIN_SIDE:
            return _fewer(jpegs, most_bytes)
        side = round(side * _SHRINK)


def _encoded(picture: Picture, long_side: int) -> bytes:
    height, width = picture.shape[:2]
    scale = long_side / max(height, width)
    if scale < 1:
        size = max(1, round(width * scale)), max(1, round(height * scale))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    return encode_jpeg(picture, _QUALITY)


def _fewer(jpegs: list[TimedJpeg], most_bytes: int) -> list[TimedJpeg]:
    """Every other picture, again and again, until they fit; the first one always stays."""
    while len(jpegs) > 1 and sum(len(each.jpeg) for each in jpegs) > most_bytes:
        jpegs = jpegs[::2]
    return jpegs
