"""Tells from the pictures of the index whether a recording is in colour, which is fast even for an hour."""

from __future__ import annotations

import cv2
import numpy as np

from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture, read_jpeg
from longtake.tools.core.result import evidence_of
from longtake.tools.core.tool_context import ToolContext

MOST = 24  # pictures to examine, evenly spread
_EMPTY = 4.0  # standard deviation of brightness, in levels, below which a picture is blank
_COLOURED = 2.0  # levels from grey; black-and-white films had at most 0.6, colour films at least 4.6
_HUES = 1.0  # levels away from the most common hue; less is a tint
_NEARLY_ALL = 0.9  # of the pictures, because a colour film may start with white letters on black
_HALF = 2  # of the side, because colour is just as visible in a small picture


def film_colour(context: ToolContext, span: TimeSpan) -> Moment | None:
    """Whether nearly all, some or none of the pictures of a span have colour.

    None if all pictures are blank, or if there is only a single hue.
    """
    layer = context.video.layer("keyframes")
    if layer is None:
        return None
    items = [item for item in context.video.items("keyframes", span) if item["kind"] == "second"]
    chosen = [items[number * len(items) // MOST] for number in range(MOST)] if len(items) > MOST else items
    pictures = [read_jpeg(layer.path / item["file"]) for item in chosen]
    measured = [_measure(picture) for picture in pictures if picture.std() >= _EMPTY]
    coloured = [hues for strength, hues in measured if strength >= _COLOURED]
    if not measured or (coloured and max(coloured) < _HUES):
        return None
    words = _described(len(coloured), len(measured))
    return evidence_of({"start": span.start, "end": span.end}, words, "visual", layer, context.video.id)


def _described(coloured: int, pictures: int) -> str:
    if not coloured:
        return f"black and white: none of {pictures} pictures, evenly spread, has colour"
    found = "in colour" if coloured >= _NEARLY_ALL * pictures else "some in colour"
    return f"{found}: {coloured} of {pictures} pictures, evenly spread, have colour"


def _measure(picture: Picture) -> tuple[float, float]:
    """Distance of the colours from grey along their most common hue and across it, in levels."""
    small = cv2.resize(picture, None, fx=1 / _HALF, fy=1 / _HALF, interpolation=cv2.INTER_AREA)
    chroma = cv2.cvtColor(small, cv2.COLOR_BGR2YCrCb)[..., 1:].reshape(-1, 2).astype(np.float64) - 128.0
    commonest, beside = np.sqrt(np.linalg.eigvalsh(chroma.T @ chroma / len(chroma)).clip(0)[::-1])
    return float(commonest), float(beside)
