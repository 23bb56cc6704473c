"""Small video files made for a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame

Picture = npt.NDArray[np.uint8]
TICKS = 90_000


def write_clip(
    path: Path,
    pictures: Iterable[Picture],
    *,
    times: Callable[[int], float] = lambda number: number / 25,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    rotation: int = 0,
    aspect: Fraction | None = None,
    sound_seconds: float = 0.0,
    format: str | None = None,
) -> Path:
    """Encode BGR pictures, shown at the times a function of their number says, and a tone beside them."""
    with av.open(str(path), "w", format=format) as container:
        video: Any = container.add_stream(codec, rate=25)
        video.pix_fmt = pixels
        video.codec_context.time_base = Fraction(1, TICKS)
        audio: Any = container.add_stream("aac", rate=16_000, layout="mono") if sound_seconds else None
        for number, picture in enumerate(pictures):
            if number == 0:
                video.height, video.width = picture.shape[:2]
                if aspect:
                    video.codec_context.sample_aspect_ratio = aspect
                if rotation:
                    video.set_display_rotation(rotation)
            frame = VideoFrame.from_ndarray(picture, format="bgr24").reformat(format=pixels)
            frame.pts, frame.time_base = round(times(number) * TICKS), Fraction(1, TICKS)
            container.mux(video.encode(frame))
        container.mux(video.encode())
        if audio:
            tone = np.sin(np.arange(round(sound_seconds * 16_000)) * 0.1).astype(np.float32)[None]
            sound = av.AudioFrame.from_ndarray(tone, format="fltp", layout="mono")
            sound.sample_rate, sound.pts = 16_000, 0
            container.mux(audio.encode(sound))
            container.mux(audio.encode())
    return path


def flat(colour: tuple[int, int, int], width: int = 320, height: int = 180) -> Picture:
    """One colour, BGR."""
    return np.full((height, width, 3), colour, np.uint8)


def noise(seed: int, width: int = 320, height: int = 180) -> Picture:
    """A soft picture of its own for each seed."""
    coarse = np.random.default_rng(seed).integers(0, 256, (5, 8, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def written(picture: Picture, text: str, place: tuple[int, int] = (20, 100), scale: float = 0.8) -> Picture:
    """The picture with white writing on it."""
    return np.asarray(cv2.putText(picture.copy(), text, place, 0, scale, (255, 255, 255), 2, cv2.LINE_AA), np.uint8)
