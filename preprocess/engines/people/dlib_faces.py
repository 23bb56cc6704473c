"""Faces with dlib (dlib.net): a detector of frontal faces, and ResNet embeddings trained on other people's photos.

The weights come in the wheel of `face_recognition_models`, so nothing is downloaded. That package is never imported,
because it needs a module that newer Pythons no longer have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
import numpy.typing as npt

from longtake.lazy import cached_property
from longtake.preprocess.engines.people.people_engine import Face
from longtake.settings import Settings

_LONG_SIDE = 1280  # pixels of the pictures searched: the smallest face found is 80 wide, a sixteenth
_LANDMARKS = "shape_predictor_5_face_landmarks.dat"
_RESNET = "dlib_face_recognition_resnet_model_v1.dat"


class DlibFaces:
    """Finds faces by gradients (HOG, Dalal and Triggs, 2005) and distinguishes them by 128 numbers each."""

    CALLS: ClassVar[Mapping[str, float]] = {"find": 60.0}
    same_person = 0.6  # as trained; photos of one person were at most 0.44 apart, of different people at least 0.70

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""
        self.id = f"dlib-{version('dlib-bin')}/hog-resnet-1"

    def find(self, picture: npt.NDArray[np.uint8]) -> list[Face]:
        """See `FaceEngine`; faces seen from the side are rarely found."""
        rgb = cv2.cvtColor(_resized(picture), cv2.COLOR_BGR2RGB)
        height, width = rgb.shape[:2]
        detector, landmarks, resnet = self._models
        places, scores, _ = detector.run(rgb, 0, 0.0)
        faces = []
        for place, score in zip(places, scores, strict=True):
            left, top = max(0, place.left()), max(0, place.top())
            right, bottom = min(width, place.right() + 1), min(height, place.bottom() + 1)
            shares = (left / width, top / height, (right - left) / width, (bottom - top) / height)
            x, y, across, down = (round(share, 4) for share in shares)
            embedding = resnet.compute_face_descriptor(rgb, landmarks(rgb, place))
            numbers = tuple(round(number, 5) for number in embedding)
            faces.append(Face((x, y, across, down), round(1 / (1 + math.exp(-score)), 3), numbers))
        return sorted(faces, key=lambda face: face.box)

    @cached_property
    def _models(self) -> tuple[Any, Any, Any]:
        dlib: Any = import_module("dlib")  # has no type information
        spec = find_spec("face_recognition_models")
        assert spec is not None  # checked by the engine table
        assert spec.origin is not None
        folder = Path(spec.origin).parent / "models"
        return (
            dlib.get_frontal_face_detector(),
            dlib.shape_predictor(str(folder / _LANDMARKS)),
            dlib.face_recognition_model_v1(str(folder / _RESNET)),
        )


def _resized(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The picture at the size searched: a small one is enlarged, or its faces would be too small."""
    scale = _LONG_SIDE / max(picture.shape[:2])
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=method), np.uint8)
