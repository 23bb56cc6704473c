"""Text recognition with RapidOCR: PP-OCRv6 detection and recognition in ONNX (github.com/RapidAI/RapidOCR).

The models come in the package's wheel: nothing is downloaded. The orientation model is off, because video is rarely
upside down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any, ClassVar

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.text.scene_text_engine import Box, TextBox
from longtake.settings import Settings

_THREADS = 4  # so that one reader doesn't take over a large machine
_DOUBTFUL = 0.95  # a reading below this may be two lines read as one
_CERTAIN = 0.8  # and is split into two if both halves reach this
_FLATTEST = 4.0  # ratio of width to height; a flatter box has one line
_SAME_PLACE = 0.3  # share of the smaller box that two readings of one text share
_LOST_A_PART = 1.15  # how much more the other look must have read to replace a reading
_MARGIN = 0.1  # of a region's height: the next text may be a little taller or wider than the boxed one


class RapidOcr:
    """Reads printed text in many scripts, at the size in the settings."""

    CALLS: ClassVar[Mapping[str, float]] = {"read": 120.0, "read_region": 30.0}

    def __init__(self, settings: Settings) -> None:
        self._long_side = settings.scene_text.long_side
        self._min_confidence = settings.scene_text.min_confidence
        self.id = f"rapidocr-{version('rapidocr')}/pp-ocrv6-{self._long_side}"

    def read(self, picture: npt.NDArray[np.uint8], long_side: int | None = None) -> list[TextBox]:
        """Find and read the texts of a picture, (height, width, 3) BGR.

        Equalising the contrast finds pale text but loses some on busy backgrounds, and a larger size finds small print
        but loses some on empty backgrounds. So a picture that seems empty is read again with equalised contrast, and
        with a `long_side` the results of three looks are combined.
        """
        if long_side is None:
            return self._look(picture, self._long_side) or self._look(_equalised(picture), self._long_side)
        found = self._look(picture, long_side)
        if max(picture.shape[:2]) > self._long_side:
            found = _united(found, self._look(picture, self._long_side))
        return _united(found, self._look(_equalised(picture), long_side))

    def read_region(self, picture: npt.NDArray[np.uint8], box: Box) -> TextBox:
        """Read one line at a known place."""
        height, width = picture.shape[:2]
        left, top, across, down = box
        air = _MARGIN * down * height
        above, below = max(0, round(top * height - air)), min(height, round((top + down) * height + air))
        first, last = max(0, round(left * width - air)), min(width, round((left + across) * width + air))
        if below - above < 2 or last - first < 2:
            return TextBox("", box, 0.0)
        [(text, confidence)] = _recognise(_reader(self._long_side), [picture[above:below, first:last]])
        return TextBox(text, box, confidence)

    def _look(self, picture: npt.NDArray[np.uint8], long_side: int) -> list[TextBox]:
        reader = _reader(long_side)
        found = reader(picture)
        if found.boxes is None:
            return []
        boxes: list[TextBox] = []
        for corners, text, confidence in zip(found.boxes, found.txts, found.scores, strict=True):
            left, top = np.floor(corners.min(axis=0)).astype(int)
            right, bottom = np.ceil(corners.max(axis=0)).astype(int)
            rows = [(top, bottom, text, confidence)]
            if confidence < _DOUBTFUL and right - left < _FLATTEST * (bottom - top):
                rows = _two_lines(reader, picture, left, top, right, bottom) or rows
            for above, below, line, score in rows:
                boxes.append(_text_box(picture, line, (left, above, right, below), score))
        return [box for box in boxes if box.confidence >= self._min_confidence and _legible(box.text)]


@lru_cache(maxsize=4)
def _reader(long_side: int) -> Any:
    """RapidOCR for one size, with its models loaded on first use; several threads can share it."""
    from rapidocr import RapidOCR  # takes most of a second, so don't import it just for the engine's id

    return RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.text_score": 0.0,  # filtering comes later, after the second look at doubtful readings
            "Global.log_level": "error",
            "Det.limit_type": "max",
            "Det.limit_side_len": long_side,
            "EngineConfig.onnxruntime.intra_op_num_threads": _THREADS,
        }
    )


def _equalised(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
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


def _two_lines(
    reader: Any, picture: npt.NDArray[np.uint8], left: int, top: int, right: int, bottom: int
) -> list[tuple[int, int, str, float]] | None:
    """Read the halves of a box separately, in case detection merged two tightly set lines; None if it didn't."""
    middle = (top + bottom) // 2
    if min(middle - top, right - left) < 4:
        return None
    halves = _recognise(reader, [picture[top:middle, left:right], picture[middle:bottom, left:right]])
    if not all(confidence >= _CERTAIN and _legible(text) for text, confidence in halves):
        return None
    return [(top, middle, *halves[0]), (middle, bottom, *halves[1])]


def _recognise(reader: Any, crops: Sequence[npt.NDArray[np.uint8]]) -> list[tuple[str, float]]:
    """Text and confidence of pictures with one line each."""
    result = reader.recognize_txt(list(crops))
    return [(text.strip(), round(float(score), 3)) for text, score in zip(result.txts, result.scores, strict=True)]


def _text_box(
    picture: npt.NDArray[np.uint8], text: str, corners: tuple[int, int, int, int], confidence: float
) -> TextBox:
    height, width = picture.shape[:2]
    left, top, right, bottom = corners
    shares = (left / width, top / height, (right - left) / width, (bottom - top) / height)
    x, y, across, down = (round(float(share), 4) for share in shares)
    return TextBox(" ".join(text.split()), (x, y, across, down), round(float(confidence), 3))


def _legible(text: str) -> bool:
    """Whether a reading is meaningful: a lone letter is almost always a shape that looks like one."""
    return sum(character.isalnum() for character in text) > 1 or text.strip().isdigit()
