"""Measurements of a frame that show tampering or damage: order, colour and grain."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Frame, Picture

Chroma = npt.NDArray[np.float64]  # (2,): mean red and blue difference, in levels from grey

_BLOCK = 16  # pixels per side of the blocks in which grain is measured
_FLAT = 20  # percentile of the blocks, from the flattest, that determines grain; the others have texture
_MAX_SIDE = 960  # pixels measured across and down; grain shows just as well in a part
_DETAIL = 3.0  # pixels of a small picture; larger structures are no details
_LAPLACE = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)


class Measured(NamedTuple):
    """A frame: its time, downscaled brightness, mean colour, colourfulness, and grain in levels."""

    time: float
    luma: Picture
    chroma: Chroma
    colourful: float
    grain: float


class Anomaly(NamedTuple):
    """An anomaly in a span: its kind, a description, and a confidence from 0 to 1."""

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


def same_details(one: Picture, other: Picture) -> float:
    """Correlation of the details of two small pictures, from -1 to 1: near 1 for one scene in another light."""
    return float(cv2.matchTemplate(_details(one), _details(other), cv2.TM_CCOEFF_NORMED)[0, 0])


def _details(luma: Picture) -> cv2.typing.MatLike:
    levels = luma.astype(np.float32)
    return levels - cv2.GaussianBlur(levels, (0, 0), _DETAIL)


def _grain(frame: Frame) -> float:
    """Standard deviation of noise in levels (Immerkaer, 1996), in the flattest blocks of the picture."""
    luma = frame.luma(frame.stream.width, frame.stream.height)
    height, width = luma.shape
    top, left = max(0, (height - _MAX_SIDE) // 2), max(0, (width - _MAX_SIDE) // 2)
    part = luma[top : top + _MAX_SIDE, left : left + _MAX_SIDE]
    rough = np.abs(cv2.filter2D(part, cv2.CV_32F, _LAPLACE))[1:-1, 1:-1]
    blocks = cv2.resize(
        rough, (max(1, rough.shape[1] // _BLOCK), max(1, rough.shape[0] // _BLOCK)), interpolation=cv2.INTER_AREA
    )
    return float(np.percentile(blocks, _FLAT) * np.sqrt(np.pi / 2) / 6)
