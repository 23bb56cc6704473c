"""Reads the lines of a picture carefully, with any model that finds and recognises lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.text.text_engines import Box, TextBox
from longtake.settings import Settings

Picture = npt.NDArray[np.uint8]
_DOUBTFUL = 0.95  # a reading below this may be two lines read as one
_CERTAIN = 0.8  # and is split into two if both halves reach this
_FLATTEST = 4.0  # ratio of width to height; a flatter box has one line
_SAME_PLACE = 0.3  # share of the smaller box that two readings of one text share
_LOST_A_PART = 1.15  # how much more the other look must have read to replace a reading
_MARGIN = 0.1  # of a region's height: the next text may be a little taller or wider than the boxed one


class LineReading(NamedTuple):
    """A text, and how sure the model is, 0 to 1."""

    text: str
    confidence: float


class LineReader(ABC):
    """See `SceneTextEngine`, for models that find lines and recognise them."""

    at_once = 1  # pictures, in as many threads

    def __init__(self, settings: Settings) -> None:
        self.long_side = settings.scene_text.long_side
        self._min_confidence = settings.scene_text.min_confidence

    @abstractmethod
    def lines(self, picture: Picture, long_side: int) -> Sequence[tuple[npt.NDArray[np.floating], LineReading]]:
        """The lines of a picture, looked for at this size: their corners in pixels, (4, 2), and what they say."""

    @abstractmethod
    def recognise(self, crops: Sequence[Picture]) -> list[LineReading]:
        """What pictures with one line each say."""

    def read(self, picture: Picture, long_side: int | None = None) -> list[TextBox]:
        """Find and read the texts of a picture, (height, width, 3) BGR.

        Equalising the contrast finds pale text but loses some on busy backgrounds, and a larger size finds small print
        but loses some on empty backgrounds. So a picture that seems empty is read again with equalised contrast, and
        with a `long_side` the results of three looks are combined.
        """
        if long_side is None:
            return self._look(picture, self.long_side) or self._look(_equalised(picture), self.long_side)
        found = self._look(picture, long_side)
        if max(picture.shape[:2]) > self.long_side:
            found = _united(found, self._look(picture, self.long_side))
        return _united(found, self._look(_equalised(picture), long_side))

    def read_all(self, pictures: Sequence[Picture]) -> list[list[TextBox]]:
        """See `SceneTextEngine`."""
        with ThreadPoolExecutor(self.at_once) as pool:
            return list(pool.map(self.read, pictures))

    def read_region(self, picture: Picture, box: Box) -> TextBox:
        """Read one line at a known place."""
        height, width = picture.shape[:2]
        left, top, across, down = box
        air = _MARGIN * down * height
        above, below = max(0, round(top * height - air)), min(height, round((top + down) * height + air))
        first, last = max(0, round(left * width - air)), min(width, round((left + across) * width + air))
        if below - above < 2 or last - first < 2:
            return TextBox("", box, 0.0)
        [(text, confidence)] = self.recognise([picture[above:below, first:last]])
        return TextBox(text.strip(), box, round(confidence, 3))

    def _look(self, picture: Picture, long_side: int) -> list[TextBox]:
        boxes: list[TextBox] = []
        for corners, (text, confidence) in self.lines(picture, long_side):
            left, top = np.floor(corners.min(axis=0)).astype(int)
            right, bottom = np.ceil(corners.max(axis=0)).astype(int)
            rows = [(top, bottom, text, confidence)]
            if confidence < _DOUBTFUL and right - left < _FLATTEST * (bottom - top):
                rows = self._two_lines(picture, left, top, right, bottom) or rows
            for above, below, line, score in rows:
                boxes.append(_text_box(picture, line, (left, above, right, below), score))
        return [box for box in boxes if box.confidence >= self._min_confidence and _legible(box.text)]

    def _two_lines(
        self, picture: Picture, left: int, top: int, right: int, bottom: int
    ) -> list[tuple[int, int, str, float]] | None:
        """Read the halves of a box separately, in case detection merged two tightly set lines; None if it didn't."""
        middle = (top + bottom) // 2
        if min(middle - top, right - left) < 4:
            return None
        halves = self.recognise([picture[top:middle, left:right], picture[middle:bottom, left:right]])
        if not all(confidence >= _CERTAIN and _legible(text) for text, confidence in halves):
            return None
        upper, lower = halves
        return [(top, middle, upper.text, upper.confidence), (middle, bottom, lower.text, lower.confidence)]


def _equalised(picture: Picture) -> Picture:
    """Equalise local contrast (CLAHE, Zuiderveld 1994), so that detection also finds pale or shaded text."""
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)
    lightness = cv2.createCLAHE(clipLimit=3.0, tileGridSize=(8, 8)).apply(np.ascontiguousarray(lab[..., 0]))
    return np.asarray(cv2.cvtColor(cv2.merge([lightness, lab[..., 1], lab[..., 2]]), cv2.COLOR_LAB2BGR), np.uint8)


def _united(first: list[TextBox], second: list[TextBox]) -> list[TextBox]:
    """Combine two looks at one picture; where both read a place, keep the first unless it missed part of the text."""
    kept = list(first)
    for box in second:
        rivals = [each for each in first if _overlap(each.box, box.box) > _SAME_PLACE]
        if _weight(box) > _LOST_A_PART * sum(map(_weight, rivals)):
            kept = [each for each in kept if each not in rivals] + [box]
    return kept


def _weight(box: TextBox) -> float:
    return box.confidence * sum(character.isalnum() for character in box.text)


def _overlap(one: Box, other: Box) -> float:
    """Area that two boxes share, as a share of the smaller one."""
    across, down = (
        max(0.0, min(one[axis] + one[axis + 2], other[axis] + other[axis + 2]) - max(one[axis], other[axis]))
        for axis in (0, 1)
    )
    return across * down / max(1e-9, min(one[2] * one[3], other[2] * other[3]))


def _text_box(picture: Picture, text: str, corners: tuple[int, int, int, int], confidence: float) -> TextBox:
    height, width = picture.shape[:2]
    left, top, right, bottom = corners
    shares = (left / width, top / height, (right - left) / width, (bottom - top) / height)
    x, y, across, down = (round(float(share), 4) for share in shares)
    return TextBox(" ".join(text.split()), (x, y, across, down), round(float(confidence), 3))


def _legible(text: str) -> bool:
    """Whether a reading is meaningful: a lone letter is almost always a shape that looks like one."""
    return sum(character.isalnum() for character in text) > 1 or text.strip().isdigit()
