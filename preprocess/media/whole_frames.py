"""Reads frames like `frames` and completes pictures that are shown in pieces, for everything that looks for content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import RUN_UP, Frame, read_frames, read_up_to, shown_during
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.media.pieces import join_pieces, may_be_piece

_AROUND = 4.0  # seconds of pieces before a span that complete its first frames


def read_whole_frames(
    path: Path, media: MediaInfo, span: TimeSpan | None, check_cancelled: Callable[[], None]
) -> Iterator[Frame]:
    """Decode a file, or the frames on screen during a span of it, like `read_frames`.

    Raises:
        MediaError: if the file has no picture or can't be opened.
    """
    frames = read_frames(path, media, span, check_cancelled)
    if span is None:
        yield from join_pieces(frames)
        return
    first = next(frames, None)
    if first is None:
        return
    if not may_be_piece(first):
        yield from join_pieces(chain([first], frames))
        return
    wider = TimeSpan(start=max(0.0, span.start - _AROUND), end=span.end + _AROUND)
    yield from shown_during(span, join_pieces(read_frames(path, media, wider, check_cancelled)))


def read_whole_frames_after(
    path: Path, media: MediaInfo, time: float, check_cancelled: Callable[[], None]
) -> Iterator[Frame]:
    """Decode the frames presented after a time in seconds, the same ones that reading from the start would give.

    Raises:
        MediaError: if the file has no picture or can't be opened.
    """
    for frame in join_pieces(read_up_to(time, RUN_UP, path, media, check_cancelled)):
        if frame.time > time:
            yield frame
