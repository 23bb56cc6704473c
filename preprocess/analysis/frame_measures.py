"""What is measured of each frame to see whether the recording was tampered with or damaged: order, colour and grain."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Frame, Picture

Chroma = npt.NDArray[np.float64]  # (2,): mean red and blue difference, in levels from grey

_BLOCK = 16  # pixels on a side of the blocks in which grain is measured
_FLAT = 20  # percentile of the blocks, from the flattest, that tells the grain: texture lies in the others
_LARGEST = 960  # columns of a picture that are measured; grain is as visible in a part
_LAPLACE = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)


class Measured(NamedTuple):
    """A frame: its time, its brightness seen small, its mean colour, how colourful it is, and its grain in levels."""

    time: float
    luma: Picture
    chroma: Chroma
    colourful: float
    grain: float


class Finding(NamedTuple):
    """Something odd about a span: its kind in a word, what was seen, and how sure that is, from 0 to 1."""

    span: TimeSpan
    kind: str
    text: str
    sure: float


def measure(frame: Frame) -> Measured:
    """Measure one frame."""
    colours = cv2.cvtColor(frame.small_bgr, cv2.COLOR_BGR2YCrCb)[..., 1:].reshape(-1, 2).astype(np.float64) - 128.0
    return Measured(
        frame.time,
        cv2.GaussianBlur(frame.small_luma, (3, 3), 0).astype(np.uint8),
        colours.mean(axis=0),
        float(np.abs(colours).mean()),
        _grain(frame),
    )


def _grain(frame: Frame) -> float:
    """Standard deviation of noise in levels (Immerkaer, 1996), in the flattest blocks of the picture."""
    luma = frame.luma(frame.stream.width, frame.stream.height)
    height, width = luma.shape
    top, left = max(0, (height - _LARGEST) // 2), max(0, (width - _LARGEST) // 2)
    part = luma[top : top + _LARGEST, left : left + _LARGEST]
    rough = np.abs(cv2.filter2D(part, cv2.CV_32F, _LAPLACE))[1:-1, 1:-1]
    blocks = cv2.resize(
        rough, (max(1, rough.shape[1] // _BLOCK), max(1, rough.shape[0] // _BLOCK)), interpolation=cv2.INTER_AREA
    )
    return float(np.percentile(blocks, _FLAT) * np.sqrt(np.pi / 2) / 6)
