"""Chooses the frames of a span for a model, in a budget: for its question, evenly, and where the picture changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.endpoints.caption_engine import TimedJpeg
from longtake.preprocess.engines.text.text_engines import Box
from longtake.preprocess.media.frames import Picture, encode_jpeg, shrunk
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.media.whole_frames import read_whole_frames

_REST = 0.5  # pictures per second of a still picture
_PER_CHANGE = 2.0  # pictures per change of the whole picture, or the equivalent in parts
_MAX_AT_ONCE = 0.25  # largest share of the picture that counts in one frame: a cut needs only one look
_LEAST = 0.02  # changes of the whole picture in a span; less is noise
# Least distances of a picture for the question from the others: the second, but no more than the first.
_FAR, _NEAR, _NEAREST = 0.5, 0.25, 1.0  # shares of the even distance, and seconds
_STEP = 0.02  # resolution in seconds; no ordinary file has shorter frames
_QUALITY = 80
_LONG_SIDE = 896  # pixels on the long side, if the byte budget allows
_ENLARGED = 3.0  # times, at most
_SHRINK = 0.75
_MIN_SIDE = 160


def choose_times(
    span: TimeSpan,
    changes: Iterable[Mapping[str, Any]],
    max_count: int,
    *,
    asked: Sequence[Iterable[float]] = (),
    blank: Iterable[TimeSpan] = (),
    shots: Sequence[TimeSpan] = (),
    sections: Sequence[TimeSpan] = (),
    exact: bool = False,
) -> list[float]:
    """Up to `max_count` times in a span, in order: at most half of them for the question, the rest by time and change.

    Those for the question keep a distance from all others. The rest are the middles of parts with equal shares of time
    and change together, so that half of them are evenly spread and half where the picture changes, and no two halves
    meet in one place. Every shot gets a picture first, if there are enough.

    Args:
        span: seconds; a zero-length span gives its own moment.
        changes: items of the layer `changes`; without any, the times are evenly spaced.
        max_count: maximum number of times; a picture at rest needs fewer.
        asked: times at which the span may show what is asked, by each way to find them, best first; they take turns.
        blank: where the picture shows nothing; no time is chosen there, unless there is nothing else.
        shots: in the span, without those that show nothing.
        sections: that the span covers, at least in part; a longer one gets more pictures, but fewer a second.
        exact: choose `max_count` times, also if the picture rests.
    """
    if span.length == 0:
        return [span.start]
    bounds = np.linspace(span.start, span.end, max(2, ceil(span.length / _STEP)) + 1)
    middles = (bounds[:-1] + bounds[1:]) / 2
    time, change = np.full(len(middles), bounds[1] - bounds[0]), np.zeros(len(middles))
    for item in changes:
        times = np.asarray(item["times"])
        inside = (times >= span.start) & (times < span.end)
        places = np.searchsorted(bounds, times[inside], side="right") - 1
        np.add.at(change, places, np.minimum(np.asarray(item["area"])[inside], _MAX_AT_ONCE))
    empty = np.zeros(len(middles), bool)
    for part in blank:
        empty |= (middles >= part.start) & (middles < part.end)
    if not empty.all():
        time[empty] = change[empty] = 0
    needed = ceil(_REST * time.sum() + _PER_CHANGE * change.sum()) + 1
    weight = time / time.sum() + (change / change.sum() if change.sum() >= _LEAST else 0)
    for section in sections if len(sections) > 1 else ():
        inside = (middles >= section.start) & (middles < section.end)
        if total := weight[inside].sum():
            weight[inside] *= time[inside].sum() ** 0.5 / total
    count = max_count if exact else min(max_count, max(needed, len(shots)))
    even = float(time.sum()) / count
    least = min(_FAR * even, max(_NEAREST, _NEAR * even))
    shown = time > 0
    rankings = (
        (at for at in times if span.start <= at < span.end and shown[np.searchsorted(bounds, at, side="right") - 1])
        for times in asked
    )
    picked = _in_turn(rankings, count // 2, least)
    for at in picked:
        weight[abs(middles - at) < least] = 0
    others = [shot for shot in shots if not any(shot.start <= at < shot.end for at in picked)]
    own = [(max(shot.start, span.start) + min(shot.end, span.end)) / 2 for shot in others]
    own = own if len(shots) > 1 and len(own) <= count - len(picked) else []
    more = count - len(picked) - len(own)
    reached = np.concatenate([[0.0], np.cumsum(weight)])
    chosen = np.interp((np.arange(more) + 0.5) / max(1, more) * reached[-1], reached, bounds)
    return sorted({round(float(time), 3) for time in (*picked, *own, *chosen)})


def _in_turn(rankings: Iterable[Iterable[float]], most: int, least: float) -> list[float]:
    """Times of several rankings in turn, each the best of its own that is at least `least` from those before."""
    picked: list[float] = []
    waiting = deque(map(iter, rankings))
    while waiting and len(picked) < most:
        ranking = waiting.popleft()
        for at in ranking:
            if all(abs(at - other) >= least for other in picked):
                picked.append(at)
                waiting.append(ranking)
                break
    return picked


def read_chosen(
    path: Path,
    media: MediaInfo,
    times: Sequence[float],
    max_bytes: int,
    check_cancelled: Callable[[], None],
    crop: Box | None = None,
) -> list[TimedJpeg]:
    """The frames on screen at these times, each once, as JPEG files, all downscaled equally to fit the byte budget.

    With `crop` (left, top, width and height as shares), only that part of each, in as many pixels as the file has.

    Raises:
        MediaError: if the file has no picture or can't be opened.
    """
    pictures: dict[float, Picture] = {}
    for time in times:
        shown = next(read_whole_frames(path, media, TimeSpan(start=time, end=time), check_cancelled), None)
        if shown is not None and shown.time not in pictures:
            pictures[shown.time] = _part(shown.bgr(), crop) if crop else shown.bgr(_LONG_SIDE)
    side = _LONG_SIDE
    while True:
        jpegs = [
            TimedJpeg(round(time, 3), encode_jpeg(shrunk(picture, side), _QUALITY))
            for time, picture in pictures.items()
        ]
        if sum(len(each.jpeg) for each in jpegs) <= max_bytes:
            return jpegs
        if side * _SHRINK < _MIN_SIDE:
            return _fewer(jpegs, max_bytes)
        side = round(side * _SHRINK)


def _part(picture: Picture, crop: Box) -> Picture:
    """A part of a picture; a small one is enlarged, because models see little in few pixels."""
    height, width = picture.shape[:2]
    left, top = min(width - 1, int(crop[0] * width)), min(height - 1, int(crop[1] * height))
    part = picture[top : top + max(1, round(crop[3] * height)), left : left + max(1, round(crop[2] * width))]
    scale = min(_ENLARGED, _LONG_SIDE / max(part.shape[:2]))
    if scale <= 1:
        return part
    return np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8)


def _fewer(jpegs: list[TimedJpeg], max_bytes: int) -> list[TimedJpeg]:
    """Repeatedly drop every other picture until they fit; the first one always stays."""
    while len(jpegs) > 1 and sum(len(each.jpeg) for each in jpegs) > max_bytes:
        jpegs = jpegs[::2]
    return jpegs
