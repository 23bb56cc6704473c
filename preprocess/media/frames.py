"""Reads frames of a file in presentation order, with cheap downscaled views of the decoder's own planes.

Converting each frame with swscale doubles the cost of a pass. Nearest-neighbour downscaling of the decoder's Y, U and V
planes costs a fraction of a millisecond, and is enough to see changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import av.error
import cv2
import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Interpolation, VideoReformatter

from longtake.errors import LibraryError, MediaError
from longtake.lazy import cached_property
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.clock import seek
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.decoding import decode_pictures
from longtake.preprocess.media.media import MediaInfo, VideoStream

Picture = npt.NDArray[np.uint8]
cv2.setNumThreads(1)  # for small pictures, threads cost more than they save, and the decoder needs the cores
SMALL = (160, 90)  # width and height of the picture used to find cuts and changes, whatever the video's shape

_SAMPLED = re.compile(r"(?:(?:yuvj?4(?:20|22|44|40|11)p|gray)(?:(10|12)le)?|nv12)")
_NEUTRAL_CHROMA = 128
RUN_UP = 10.0  # seconds; enough for a stream with intra refresh to recover


@dataclass(frozen=True)
class Frame:
    """A decoded frame; `time` and `duration` are in seconds, `time` from the first presented frame or sample.

    `source` is the picture, or what makes it when somebody looks at it. `hidden` is the colour, BGR, that hid a part of
    it before it was completed (`pieces`); None for a frame as decoded.
    """

    time: float
    duration: float
    source: VideoFrame | Callable[[], VideoFrame]
    stream: VideoStream
    # By size, shared by the frames of one read: setting up a conversion costs more than running it.
    _reformatters: dict[tuple[int, int], VideoReformatter] = field(default_factory=dict, repr=False, compare=False)
    hidden: tuple[float, ...] | None = None

    @property
    def end(self) -> float:
        """Time at which the next frame should replace this one."""
        return self.time + self.duration

    @cached_property
    def picture(self) -> VideoFrame:
        """As stored: not rotated for display."""
        return self.source if isinstance(self.source, VideoFrame) else self.source()

    def luma(self, width: int, height: int) -> Picture:
        """Brightness as decoded, nearest-neighbour, (height, width), rotated for display."""
        width, height = self._stored(width, height)
        return self._turned(_shrink(_readable(self.picture, width, height), 0, width, height))

    @cached_property
    def small_luma(self) -> Picture:
        """Brightness in a `SMALL` picture, (90, 160)."""
        return self._turned(self._small_luma)

    @cached_property
    def small_bgr(self) -> Picture:
        """Colour in a `SMALL` picture, (90, 160, 3)."""
        width, height = self._stored(*SMALL)
        picture, y = _readable(self.picture, width, height), self._small_luma
        u, v = (_shrink(picture, channel, width // 2, height // 2) for channel in (1, 2))
        if self._full_range:
            full = (cv2.resize(plane, (width, height), interpolation=cv2.INTER_NEAREST) for plane in (v, u))
            bgr = cv2.cvtColor(cv2.merge([y, *full]), cv2.COLOR_YCrCb2BGR)
        else:
            i420 = np.concatenate([y.ravel(), u.ravel(), v.ravel()]).reshape(height * 3 // 2, width)
            bgr = cv2.cvtColor(i420, cv2.COLOR_YUV2BGR_I420)
        return self._turned(np.asarray(bgr, dtype=np.uint8))

    def bgr(self, long_side: int | None = None) -> Picture:
        """The picture at full quality, (height, width, 3), downscaled if its long side exceeds `long_side`."""
        scale = min(1.0, long_side / max(self.stream.width, self.stream.height)) if long_side else 1.0
        width, height = max(1, round(self.stream.width * scale)), max(1, round(self.stream.height * scale))
        width, height = self._stored(width, height)
        reformatter = self._reformatters.setdefault((width, height), VideoReformatter())
        shown = reformatter.reformat(
            self.picture, width, height, format="bgr24", interpolation=Interpolation.AREA, threads=1
        )
        return self._turned(np.asarray(shown.to_ndarray(), dtype=np.uint8))

    @cached_property
    def _small_luma(self) -> Picture:
        width, height = self._stored(*SMALL)
        return _shrink(_readable(self.picture, width, height), 0, width, height)

    @property
    def _full_range(self) -> bool:
        return self.picture.color_range == ColorRange.JPEG or self.picture.format.name.startswith("yuvj")

    def _stored(self, width: int, height: int) -> tuple[int, int]:
        return (height, width) if self.stream.rotation in (90, 270) else (width, height)

    def _turned(self, picture: Picture) -> Picture:
        turns = self.stream.rotation // 90
        return np.ascontiguousarray(np.rot90(picture, turns)) if turns else picture


def read_frames(
    path: Path, media: MediaInfo, span: TimeSpan | None, check_cancelled: Callable[[], None]
) -> Iterator[Frame]:
    """Decode a file, or the frames on screen during a span of it, by presentation time.

    With a span, the first frame is the one on screen at its start, which may have been presented earlier; a zero-length
    span yields that one frame. Damaged data is skipped silently, and a damaged tail ends the frames.

    Raises:
        MediaError: if the file has no picture or can't be opened.
    """
    if span is None:
        yield from _read_from(None, path, media, check_cancelled)
        return
    yield from shown_during(span, read_up_to(span.start, 0.0, path, media, check_cancelled))


def shrunk(picture: Picture, long_side: int) -> Picture:
    """A picture (height, width, channels), downscaled if its long side exceeds `long_side` pixels."""
    height, width = picture.shape[:2]
    scale = long_side / max(height, width)
    if scale >= 1:
        return picture
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def encode_jpeg(picture: Picture, quality: int) -> bytes:
    """A picture, (height, width, 3) BGR, as the bytes of a JPEG file."""
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def read_jpeg(file: Path) -> Picture:
    """A picture of a layer, (height, width, 3) BGR.

    Raises:
        LibraryError: if it is missing or damaged.
    """
    picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
    if picture is None:
        raise LibraryError(f"Couldn't read {file}: delete its folder and index the video again.")
    return np.asarray(picture, dtype=np.uint8)


def read_up_to(
    time: float, run_up: float, path: Path, media: MediaInfo, check_cancelled: Callable[[], None]
) -> Iterator[Frame]:
    """Frames starting at or before `time`, after seeking to `run_up` seconds earlier."""
    entry = time - run_up
    if entry > 0:
        frames = _read_from(entry, path, media, check_cancelled)
        first = next(frames, None)
        # Some containers seek too far, and streams without times can't seek at all.
        if first is not None and first.picture.pts is not None and first.time <= entry:
            yield first
            yield from frames
            return
    yield from _read_from(None, path, media, check_cancelled)


def _read_from(
    entry: float | None, path: Path, media: MediaInfo, check_cancelled: Callable[[], None]
) -> Iterator[Frame]:
    if media.video is None:
        what = "sound" if media.audio else "words"
        raise MediaError(f"{path} has no picture; ask about its {what}.")
    reformatters: dict[tuple[int, int], VideoReformatter] = {}
    with open_media(path) as container:
        if entry is not None:
            stream: Any = container.streams[media.video.index]
            with suppress(av.error.FFmpegError):
                seek(container, stream, entry + media.origin, media.marks)
        for shown in decode_pictures(container, path, media, media.video, check_cancelled):
            yield Frame(shown.time, shown.duration, shown.picture, media.video, reformatters)


def shown_during(span: TimeSpan, frames: Iterator[Frame]) -> Iterator[Frame]:
    """Drop the frames that were replaced before the span starts and those presented after it ends."""
    current = next(frames, None)
    if current is None or (current.time > span.start and current.time >= span.end):
        return
    for frame in frames:
        if frame.time > span.start:
            yield current
            if frame.time >= span.end:
                return
        current = frame
    yield current


def _readable(picture: VideoFrame, width: int, height: int) -> VideoFrame:
    """The frame itself if its planes can be sampled directly, otherwise a small converted copy."""
    if _bits(picture.format.name):
        return picture
    return picture.reformat(width, height, format="yuv420p", interpolation=Interpolation.POINT)


@lru_cache(maxsize=32)
def _bits(name: str) -> int:
    """Bits per sample of a pixel format that can be sampled directly, else 0."""
    sampled = _SAMPLED.fullmatch(name)
    return int(sampled[1] or 8) if sampled else 0


def _shrink(picture: VideoFrame, channel: int, width: int, height: int) -> Picture:
    """One channel (0 brightness, 1 blue, 2 red difference) as (height, width), 8 bits, nearest-neighbour."""
    name = picture.format.name
    if channel and name.startswith("gray"):
        return np.full((height, width), _NEUTRAL_CHROMA, np.uint8)
    interleaved = bool(channel) and name == "nv12"
    plane: Any = picture.planes[1 if interleaved else channel]
    bits = _bits(name)
    samples: npt.NDArray[Any] = np.frombuffer(plane, np.uint8 if bits == 8 else np.uint16)
    rows = samples.reshape(-1, plane.line_size // samples.itemsize)
    if interleaved:
        rows = rows[:, channel - 1 :: 2]
    shrunk: npt.NDArray[Any] = np.asarray(
        cv2.resize(rows[:, : plane.width], (width, height), interpolation=cv2.INTER_NEAREST_EXACT)
    )
    return np.asarray(shrunk if bits == 8 else shrunk >> (bits - 8), np.uint8)
