"""Frames of a file in presentation order, with cheap small views of the decoder's own planes.

Converting each frame with swscale doubles the cost of a pass. Nearest-neighbour shrinking of the Y, U and V planes as
the decoder left them costs a fraction of a millisecond, and is enough to see what changed.
"""

from __future__ import annotations

import logging
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
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Interpolation, VideoReformatter

from longtake.errors import MediaError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.container import open_media
from longtake.preprocess.media import MediaInfo, VideoStream

Picture = npt.NDArray[np.uint8]

logger = logging.getLogger(__name__)

_SAMPLED = re.compile(r"(?:yuvj?4(?:20|22|44|40|11)p|gray)(?:10le|12le)?|nv12")
_NEUTRAL_CHROMA = 128
_MISSING_TAIL = 1.0  # seconds of picture that a whole file never lacks


@dataclass(frozen=True)
class Frame:
    """A decoded frame; `time` and `duration` are seconds, `time` counted from the first presented frame or sample."""

    time: float
    duration: float
    picture: VideoFrame
    stream: VideoStream
    # By size, shared by the frames of one reading: setting up a conversion costs more than doing it.
    _reformatters: dict[tuple[int, int], VideoReformatter] = field(default_factory=dict, repr=False, compare=False)
    _small: dict[tuple[int, int], Picture] = field(default_factory=dict, repr=False, compare=False)

    @property
    def end(self) -> float:
        """Time at which the next frame should replace this one."""
        return self.time + self.duration

    def luma(self, width: int, height: int) -> Picture:
        """Brightness as decoded, nearest-neighbour, (height, width), turned as it is to be shown."""
        width, height = self._stored(width, height)
        return self._turned(_shrink(_readable(self.picture, width, height), 0, width, height))

    def small_bgr(self, width: int, height: int) -> Picture:
        """The picture in colour, nearest-neighbour, (height, width, 3); both sides even; made once."""
        if (width, height) not in self._small:
            self._small[width, height] = self._turned(self._colour(*self._stored(width, height)))
        return self._small[width, height]

    def bgr(self, long_side: int | None = None) -> Picture:
        """The picture at full quality, (height, width, 3), shrunk where its long side exceeds `long_side`."""
        scale = min(1.0, long_side / max(self.stream.width, self.stream.height)) if long_side else 1.0
        width, height = max(1, round(self.stream.width * scale)), max(1, round(self.stream.height * scale))
        width, height = self._stored(width, height)
        reformatter = self._reformatters.setdefault((width, height), VideoReformatter())
        shown = reformatter.reformat(
            self.picture, width, height, format="bgr24", interpolation=Interpolation.AREA, threads=1
        )
        return self._turned(np.asarray(shown.to_ndarray(), dtype=np.uint8))

    def _colour(self, width: int, height: int) -> Picture:
        picture = _readable(self.picture, width, height)
        y = _shrink(picture, 0, width, height)
        u, v = (_shrink(picture, channel, width // 2, height // 2) for channel in (1, 2))
        if self._full_range:
            full = (cv2.resize(plane, (width, height), interpolation=cv2.INTER_NEAREST) for plane in (v, u))
            bgr = cv2.cvtColor(cv2.merge([y, *full]), cv2.COLOR_YCrCb2BGR)
        else:
            i420 = np.concatenate([y.ravel(), u.ravel(), v.ravel()]).reshape(height * 3 // 2, width)
            bgr = cv2.cvtColor(i420, cv2.COLOR_YUV2BGR_I420)
        return np.asarray(bgr, dtype=np.uint8)

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
    """Decode a file, or the frames that are on the screen during a span of it, by presentation time.

    With a span, the first frame is the one shown at its start, which may have been presented before it; a span without
    length yields that one frame. Damaged data is skipped, and a damaged tail ends the frames, with a warning.

    Raises:
        MediaError: when the file has no picture or cannot be opened.
    """
    if media.video is None:
        raise MediaError(f"{path} has no picture; ask about its sound.")
    if span is None:
        with open_media(path) as container:
            yield from _decode(container, path, media, media.video, check_cancelled)
        return
    # Some containers seek past the place, and raw streams not at all: those are read from their beginning.
    for entry in (span.start, None):
        with open_media(path) as container:
            if entry is not None:
                stream: Any = container.streams[media.video.index]
                with suppress(av.error.FFmpegError):
                    container.seek(int((entry + media.origin) / stream.time_base), stream=stream)
            frames = _decode(container, path, media, media.video, check_cancelled)
            first = next(frames, None)
            if first is not None and (entry is None or first.time <= entry):
                yield from _shown_during(span, first, frames)
                return


def encode_jpeg(picture: Picture, quality: int) -> bytes:
    """A picture, (height, width, 3) BGR, as the bytes of a JPEG file."""
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def _shown_during(span: TimeSpan, held: Frame, frames: Iterator[Frame]) -> Iterator[Frame]:
    """Drop the frames that were replaced before the span starts and those presented after it ends."""
    if held.time > span.start and held.time >= span.end:
        return
    for frame in frames:
        if frame.time > span.start:
            yield held
            if frame.time >= span.end:
                return
        held = frame
    yield held


def _decode(
    container: InputContainer, path: Path, media: MediaInfo, video: VideoStream, check_cancelled: Callable[[], None]
) -> Iterator[Frame]:
    stream: Any = container.streams[video.index]
    stream.thread_type = "AUTO"
    usual = 1 / video.fps
    clock, damaged = 0.0, 0
    reformatters: dict[tuple[int, int], VideoReformatter] = {}
    packets = container.demux(stream)
    while True:
        check_cancelled()
        try:
            packet = next(packets, None)
            if packet is None:
                break
            pictures = packet.decode()
        except (EOFError, av.error.InvalidDataError):
            damaged += 1
            continue
        except av.error.FFmpegError as error:
            logger.warning("%s: reading stopped at %.1f s (%s); what follows was not seen.", path, clock, error)
            return
        for picture in pictures:
            duration = float((picture.duration or 0) * picture.time_base) or usual
            # Raw streams carry no times: there each frame follows the one before.
            time = clock if picture.pts is None else float(picture.pts * picture.time_base) - media.origin
            clock = time + duration
            if time >= 0:
                # Layers and citations keep milliseconds: with the same clock here, what they name is found again.
                yield Frame(round(time, 3), duration, picture, video, reformatters)
    promised = float(((stream.start_time or 0) + (stream.duration or 0)) * stream.time_base) - media.origin
    if damaged or clock < promised - _MISSING_TAIL:
        logger.warning(
            "%s: the picture ends at %.1f s and %d packets were damaged; the file may be incomplete.",
            path,
            clock,
            damaged,
        )


def _readable(picture: VideoFrame, width: int, height: int) -> VideoFrame:
    """The frame itself where its planes can be sampled as they are, else a small conversion that can."""
    if _SAMPLED.fullmatch(picture.format.name):
        return picture
    return picture.reformat(width, height, format="yuv420p", interpolation=Interpolation.POINT)


def _shrink(picture: VideoFrame, channel: int, width: int, height: int) -> Picture:
    """One channel (0 brightness, 1 blue, 2 red difference) as (height, width), 8 bits, nearest-neighbour."""
    name = picture.format.name
    if channel and name.startswith("gray"):
        return np.full((height, width), _NEUTRAL_CHROMA, np.uint8)
    if channel and name == "nv12":
        interleaved = _samples(picture, 1, np.uint8)
        return _nearest(interleaved[:, channel - 1 : 2 * picture.planes[1].width : 2], width, height)
    bits = picture.format.components[channel].bits
    if bits == 8:
        return _nearest(_samples(picture, channel, np.uint8)[:, : picture.planes[channel].width], width, height)
    deep = _nearest(_samples(picture, channel, np.uint16)[:, : picture.planes[channel].width], width, height)
    return (deep >> (bits - 8)).astype(np.uint8)


def _samples(picture: VideoFrame, index: int, dtype: type[np.integer[Any]]) -> npt.NDArray[Any]:
    """A plane's rows with their padding, without copying."""
    plane: Any = picture.planes[index]
    return np.frombuffer(plane, dtype).reshape(-1, plane.line_size // np.dtype(dtype).itemsize)[: plane.height]


def _nearest(plane: npt.NDArray[Any], width: int, height: int) -> npt.NDArray[Any]:
    return plane[_places(plane.shape[0], height)][:, _places(plane.shape[1], width)]


@lru_cache(maxsize=32)
def _places(size: int, wanted: int) -> npt.NDArray[np.intp]:
    return ((np.arange(wanted) + 0.5) * size / wanted).astype(np.intp)
