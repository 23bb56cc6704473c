"""NanoDet (RangiLyu 2020): a small detector of the 80 kinds of things of COCO (Lin et al. 2014), in onnxruntime.

Each cell of three grids, 8, 16 and 32 pixels wide, has a score for each kind, and the distances from its middle to the
sides of a box, each as a distribution over eleven lengths (generalized focal loss, Li et al. 2020).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from longtake.models.folder import find, lookup
from longtake.preprocess.engines.objects.object_engine import FoundObject, ObjectQuery, box_of
from longtake.preprocess.engines.objects.objects_query import SYNONYMS
from longtake.preprocess.engines.onnx_session import onnx_session
from longtake.preprocess.media.frames import Picture
from longtake.settings import Settings

MODEL = "nanodet"
PERSON = "person"
KINDS = (
    *(PERSON, "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light"),
    *("fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant"),
    *("bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee", "ski", "snowboard"),
    *("sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard", "tennis racket", "bottle"),
    *("wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich", "orange", "broccoli"),
    *("carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch", "potted plant", "bed", "dining table", "toilet"),
    *("tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven", "toaster", "sink"),
    *("refrigerator", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush"),
)

_SIDE = 416  # pixels of the square that the model sees
_CELLS = (8, 16, 32)  # pixels
_SCORES, _SIDES = ("Identity:0", "Identity_1:0", "Identity_2:0"), ("Identity_3:0", "Identity_4:0", "Identity_5:0")
_MEAN = np.array([103.53, 116.28, 123.675], np.float32)  # of blue, green and red
_SPREAD = np.array([57.375, 57.12, 58.395], np.float32)
_SURE = 0.45  # score: on 30 frames of real clips it found 20 people of 20, and 5 other things of 15
_SAME = 0.5  # intersection over union above which two boxes are one thing

Numbers = npt.NDArray[np.float32]


class NanoDet:
    """Finds things of all its kinds at once. It is often wrong about what isn't a person: the rest are hints."""

    def __init__(self, settings: Settings) -> None:
        """Load nothing yet."""
        self.id = engine_id()

    def detect(self, picture: Picture) -> list[FoundObject]:
        """See `Detector`."""
        return detect(picture)


def detect(picture: Picture) -> list[FoundObject]:
    """All things of the 80 kinds in a picture, (height, width, 3) BGR, the surest first.

    Raises:
        EngineError: if the model is missing or damaged.
    """
    height, width = picture.shape[:2]
    scale = _SIDE / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    square = np.zeros((_SIDE, _SIDE, 3), np.float32)
    square[: size[1], : size[0]] = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    given = ((square - _MEAN) / _SPREAD).transpose(2, 0, 1)[None]
    outputs = onnx_session(str(_file()), MODEL).run([*_SCORES, *_SIDES], {"input_1:0": np.ascontiguousarray(given)})
    found = [each for grid in zip(_CELLS, outputs[:3], outputs[3:], strict=True) for each in _in_grid(*grid)]
    if not found:
        return []
    kinds, scores, corners = (np.array(each) for each in zip(*found, strict=True))
    corners = np.clip(corners / scale, 0, (width, height, width, height))
    boxes = np.concatenate((corners[:, :2], corners[:, 2:] - corners[:, :2]), axis=1)
    kept = cv2.dnn.NMSBoxesBatched(boxes.tolist(), scores.tolist(), kinds.tolist(), _SURE, _SAME)
    return [
        FoundObject(KINDS[kinds[each]], box_of(boxes[each].tolist(), (height, width)), round(float(scores[each]), 3))
        for each in kept
    ]


def _in_grid(cell: int, scores: Numbers, sides: Numbers) -> Iterable[tuple[int, float, Numbers]]:
    """The kind, the score and the corners (left, top, right and bottom in pixels of the square) of what cells show.

    Args:
        cell: the width of a cell in pixels.
        scores: (1, cells, kinds).
        sides: (1, cells, 4 * lengths), the logarithm of each length's probability for left, top, right and bottom.
    """
    across = _SIDE // cell
    for place, kind in np.argwhere(scores[0] >= _SURE):
        lengths = sides[0, place].reshape(4, -1)
        likely = np.exp(lengths - lengths.max(axis=1, keepdims=True))
        left, top, right, bottom = cell * (likely @ np.arange(likely.shape[1])) / likely.sum(axis=1)
        x, y = (place % across + 0.5) * cell, (place // across + 0.5) * cell
        yield int(kind), float(scores[0, place, kind]), np.array([x - left, y - top, x + right, y + bottom])


def engine_id() -> str:
    """The model and the content of its file."""
    found = lookup(MODEL)
    return f"{MODEL}-416-{found.digest(f'{MODEL}.onnx')[:12] if found else 'none'}"


def missing_model(settings: Settings) -> str | None:
    """Why the model can't be used, and what to do; None if it can. Loads nothing."""
    return None if _file() else f"no NanoDet model on disk: fetch it with `longtake models pull {MODEL}`"


def kind_of(query: ObjectQuery) -> str | None:
    """The kind of thing that a query asks for; None if the model doesn't know it, or not its colour or shape."""
    name = SYNONYMS.get(query.thing, query.thing)
    return name if name in KINDS and not (query.colour or query.shape) else None


def _file() -> Path | None:
    folder = find(MODEL)
    return folder / f"{MODEL}.onnx" if folder else None
