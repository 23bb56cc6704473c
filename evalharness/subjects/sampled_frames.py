"""Samples the frames for a model as published harnesses do: by number, not by content.

Uniform frames are `linspace(0, n - 1, count)` cut to whole numbers, and a single frame is number `int(n / 2)`. At a
frame rate every `max(1, round(fps of the file / fps))`-th frame is taken, from the first on, and where these are more
than the cap, `linspace` over them: the sampler of Moment-Video.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import av.error
import numpy as np

from longtake.console import raise_if_interrupted
from longtake.errors import MediaError
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.engines.endpoints.caption_engine import TimedJpeg
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.frames import Frame, encode_jpeg, read_frames
from longtake.preprocess.media.media import MediaInfo, VideoStream, probe

_QUALITY = 90
_FAR = 10.0  # seconds between frames from which seeking is faster than decoding everything in between
_MOMENT = 0.001  # seconds after a frame's time at which it is read, because times are rounded


class Sampling(NamedTuple):
    """How many frames: evenly over the video, or at a frame rate."""

    most: int
    fps: float | None = None

    def numbers(self, frames: int, rate: float) -> list[int]:
        """The frames to show, by number from 0, of this many at `rate` a second."""
        step = max(1, round(rate / self.fps)) if self.fps else 1
        taken = range(0, frames, step)
        if self.most == 1:
            return [int(frames / 2)]
        if self.fps and len(taken) <= self.most:
            return list(taken)
        places = np.linspace(0, len(taken) - 1, self.most).astype(int)
        return [taken[place] for place in dict.fromkeys(places.tolist())]

    def expected(self, seconds: float | None) -> int:
        """The approximate number of frames for a video of this length; the maximum if the length is unknown."""
        return min(self.most, max(1, round(seconds * self.fps))) if self.fps and seconds else self.most


@lru_cache(maxsize=4)  # a video is asked about in several items and variants
def sampled(path: Path, sampling: Sampling, long_side: int, spans: tuple[TimeSpan, ...] = ()) -> tuple[TimedJpeg, ...]:
    """The frames of a video as JPEG files, none larger than `long_side` pixels, each with its time.

    Damaged frames are skipped. With `spans`, only the frames that are on screen in them are sampled.

    Raises:
        MediaError: if the file cannot be read or none of these frames can be decoded.
    """
    media = probe(path)
    if media.video is None:
        raise MediaError(f"{path} has no picture; give the model its transcript instead.")
    times = _times(path, media, media.video)
    if spans:
        turns = zip(times, [*times[1:], media.duration], strict=True)
        times = [
            time
            for time, until in turns
            if any(each.start < until and (time < each.end or time == each.start) for each in spans)
        ]
    numbers = sampling.numbers(len(times), media.video.fps) if times else []
    wanted = [times[number] + _MOMENT for number in numbers]
    shown = _shown(path, media, wanted)
    jpegs = tuple(TimedJpeg(frame.time, encode_jpeg(frame.bgr(long_side), _QUALITY)) for frame in shown)
    if not jpegs:
        raise MediaError(f"{path} has no frame that can be decoded; check that it is complete and plays.")
    return jpegs


def _times(path: Path, media: MediaInfo, video: VideoStream) -> list[float]:
    """When each frame is presented, in seconds and in order, as its packet says; the middle of its turn in an AVI."""
    packets = 0
    times: list[float] = []
    with open_media(path) as container, suppress(av.error.FFmpegError):
        for packet in container.demux(container.streams[video.index]):
            raise_if_interrupted()
            packets += bool(packet.size)
            if packet.size and packet.pts is not None and packet.time_base is not None:
                # Frames, layers and citations keep milliseconds.
                times.append(round(float(packet.pts * packet.time_base) - media.origin, 3))
    if media.container == "avi" or len(times) < packets:
        return [(number + 0.5) / video.fps for number in range(packets)]
    return sorted(time for time in times if time >= 0)


def _shown(path: Path, media: MediaInfo, times: Sequence[float]) -> Iterator[Frame]:
    """The frames on the screen at these times, in seconds and in order, each once."""
    for span in joined([TimeSpan(start=time, end=time) for time in times], _FAR):
        pending = deque(time for time in times if span.start <= time <= span.end)
        for frame in read_frames(path, media, span, raise_if_interrupted):
            wanted = False
            while pending and pending[0] < frame.end:
                wanted |= pending.popleft() >= frame.time
            if wanted:
                yield frame
