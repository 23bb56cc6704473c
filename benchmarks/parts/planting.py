"""Reads pictures of real clips and encodes clips made from them, whose events are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import av
import cv2
import numpy as np
from av.video.frame import VideoFrame

from longtake.errors import MediaError
from longtake.preprocess.media.frames import Picture, read_frames
from longtake.preprocess.media.media import probe

Half = Literal["tuning", "held out"]

_VIDEO = {".mp4", ".mkv", ".webm", ".avi"}
_X264 = {"crf": "23", "preset": "veryfast"}


def half_of(clip: str) -> Half:
    """The half a clip belongs to, by a hash of its name: what is tuned on one half is measured on the other."""
    return "tuning" if blake2b(clip.encode(), digest_size=1).digest()[0] % 2 else "held out"


def clips_of(media: Path, half: Half) -> list[str]:
    """Clips with a picture in a folder and its subfolders, as paths relative to it.

    Raises:
        MediaError: if there is none.
    """
    files = sorted(path for path in media.rglob("*") if path.suffix in _VIDEO and path.is_file())
    clips = [path.relative_to(media).as_posix() for path in files]
    chosen = [clip for clip in clips if half_of(clip) == half and probe(media / clip).video]
    if not chosen:
        raise MediaError(f"{media} has no clips in the half {half!r}; give --media a folder with more clips.")
    return chosen


def pictures_of(path: Path, size: tuple[int, int], start: float, seconds: float) -> Iterator[Picture]:
    """The pictures of a stretch of a clip, (height, width, 3) BGR, scaled to a width and height."""
    frames = read_frames(path, probe(path), None, lambda: None)
    for frame in takewhile(lambda each: each.time < start + seconds, frames):
        if frame.time >= start:
            yield np.asarray(cv2.resize(frame.bgr(), size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def encode(path: Path, pictures: Iterable[Picture], fps: float) -> None:
    """Write BGR pictures of one size, both sides even, as H.264 of default quality."""
    rate = Fraction(fps).limit_denominator(1001)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=rate, options=_X264)
        stream.pix_fmt = "yuv420p"
        for number, picture in enumerate(pictures):
            if number == 0:
                stream.height, stream.width = picture.shape[:2]
            frame = VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = number, 1 / rate
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
