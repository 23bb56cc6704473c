"""The protocol of face engines, which locate faces and embed them so that faces of one person are close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.text.scene_text_engine import Box


@dataclass(frozen=True, slots=True)
class Face:
    """One face; `box` is left, top, width and height as fractions of the picture, `confidence` that it is a face.

    The Euclidean distance between two embeddings shows whether they are of the same person.
    """

    box: Box
    confidence: float
    embedding: tuple[float, ...]


class FaceEngine(Protocol):
    """Finds faces."""

    @property
    def id(self) -> str:
        """Models and version; embeddings of different engines can't be compared."""
        ...

    @property
    def same_person(self) -> float:
        """Largest distance between two embeddings of the same person."""
        ...

    def find(self, picture: npt.NDArray[np.uint8]) -> list[Face]:
        """The faces of a picture, (height, width, 3) BGR, from left to right."""
        ...
