"""Plays the pieces of a plan: frames and sound in the order of the new video, in memory that doesn't grow with it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

import cv2
import numpy as np

from longtake.errors import MediaError
from longtake.evalharness.edits.edit import Piece, Source
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.audio import Samples, read_audio
from longtake.preprocess.media.frames import Picture, read_frames

BLOCK = 2.0  # seconds held in memory while a piece plays backwards
LONGEST_SHUFFLED = 10.0  # seconds held while the frames of a piece swap places
_SOUND_BLOCK = 30.0  # seconds of sound held
_LAST = 0.05  # seconds before the end at which a last frame surely shows
_MOMENT = 0.0005  # seconds; times are rounded to milliseconds


class PlannedFrame(NamedTuple):
    """A frame of the new video: its picture (BGR) and seconds, and how long it stays."""

    picture: Picture
    time: float
    seconds: float


def play(pieces: Sequence[Piece], sources: Sequence[Source], check: Callable[[], None]) -> Iterator[PlannedFrame]:
    """The frames of the pieces, one after the other; all have the size of the first source.

    Raises:
        MediaError: if a source has no picture or can't be read.
    """
    shape: tuple[int, int] | None = None
    begin = 0.0
    for piece in pieces:
        source = sources[piece.source]
        for shown in _ordered(piece, source, check):
            picture = shown.picture
            if shape is None:
                shape = _even(picture.shape[0]), _even(picture.shape[1])
            yield PlannedFrame(_fitted(picture, shape), round(begin + shown.time, 4), shown.seconds)
        begin += piece.length


def sound(
    pieces: Sequence[Piece], sources: Sequence[Source], rate: int, check: Callable[[], None]
) -> Iterator[Samples]:
    """The sound of the pieces as mono samples, one after the other; silence where a source has none."""
    written, end = 0, 0.0
    for piece in pieces:
        end += piece.length
        for samples in _heard(piece, sources[piece.source], rate, check):
            room = round(end * rate) - written
            yield samples[:room]
            written += min(room, len(samples))
        if (missing := round(end * rate) - written) > 0:
            yield np.zeros(missing, np.float32)
            written += missing


def _ordered(piece: Piece, source: Source, check: Callable[[], None]) -> Iterator[PlannedFrame]:
    """The frames of a piece, in seconds from its start."""
    if piece.hold:
        yield from _held(piece, source, check)
        return
    if piece.order == "forwards":
        yield from _forwards(source, piece.start, piece.end, piece.start, check)
    elif piece.order == "backwards":
        end = piece.end
        while end > piece.start + _MOMENT:
            start = max(piece.start, end - BLOCK)
            for shown in reversed(list(_forwards(source, start, end, 0.0, check))):
                yield PlannedFrame(shown.picture, round(piece.end - shown.time - shown.seconds, 4), shown.seconds)
            end = start
    else:
        frames = list(_forwards(source, piece.start, piece.end, piece.start, check))
        if len(frames) < 2:
            span = TimeSpan(start=piece.start, end=piece.end)
            raise MediaError(f"{source.path} has fewer than two frames in {span} to shuffle. Name a longer span.")
        order = shuffled(len(frames), Random(piece.seed))
        for slot, number in zip(frames, order, strict=True):
            yield PlannedFrame(frames[number].picture, slot.time, slot.seconds)


def _held(piece: Piece, source: Source, check: Callable[[], None]) -> Iterator[PlannedFrame]:
    """The frame on screen at a moment, or the first one after it, again and again."""
    at = min(piece.start, max(0.0, source.seconds - _LAST))
    frame = next(read_frames(source.path, source.media, TimeSpan(start=at, end=source.seconds), check), None)
    if frame is None:
        raise MediaError(f"{source.path} shows no frame at or after {at:.2f} s. Name an earlier moment.")
    picture = frame.bgr()
    for number in range(round(piece.hold * piece.fps)):
        check()
        yield PlannedFrame(picture, round(number / piece.fps, 5), 1 / piece.fps)


def shuffled(count: int, random: Random) -> list[int]:
    """A random order of this many things that isn't the one they have, if there is another."""
    order = list(range(count))
    while count > 1 and order == sorted(order):
        random.shuffle(order)
    return order


def _forwards(
    source: Source, start: float, end: float, zero: float, check: Callable[[], None]
) -> Iterator[PlannedFrame]:
    """The frames on screen in a span, in seconds from `zero`.

    They fill the span, as a player does: the first shows from its start, though the picture of a file may begin after
    its sound; each stays until the next, though one between them may be damaged; and the last stays until its end.
    """
    frames = read_frames(source.path, source.media, TimeSpan(start=start, end=max(end, source.seconds)), check)
    begin = start
    for frame, following in itertools.pairwise(itertools.chain(frames, (None,))):
        until = min(following.time, end) if following else end
        if frame and until - begin > _MOMENT:
            yield PlannedFrame(frame.bgr(), round(begin - zero, 4), round(until - begin, 4))
            begin = until
        if until >= end:
            return


def _heard(piece: Piece, source: Source, rate: int, check: Callable[[], None]) -> Iterator[Samples]:
    if piece.hold:
        return
    backwards = piece.order == "backwards"
    count = max(1, int(np.ceil(piece.length / _SOUND_BLOCK)))
    edges = np.linspace(piece.start, piece.end, count + 1)
    spans = list(itertools.pairwise(edges))
    for start, end in reversed(spans) if backwards else spans:
        samples = np.zeros(round((end - start) * rate), np.float32)
        span = TimeSpan(start=float(start), end=float(end))
        for block in read_audio(source.path, source.media, rate=rate, span=span, check_cancelled=check):
            at = max(0, round((block.start - start) * rate))
            part = block.samples[: len(samples) - at]
            samples[at : at + len(part)] = part
        yield samples[::-1] if backwards else samples


def _even(side: int) -> int:
    return side - side % 2


def _fitted(picture: Picture, shape: tuple[int, int]) -> Picture:
    """The picture with this height and width: cropped by a pixel, or scaled with black bars."""
    height, width = shape
    if abs(picture.shape[0] - height) < 2 and abs(picture.shape[1] - width) < 2:
        return np.ascontiguousarray(picture[:height, :width])
    scale = min(height / picture.shape[0], width / picture.shape[1])
    size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    canvas = np.zeros((height, width, 3), np.uint8)
    top, left = (height - size[1]) // 2, (width - size[0]) // 2
    canvas[top : top + size[1], left : left + size[0]] = small
    return canvas
