"""Faces: where they are in a picture, and a vector of each that lies near those of the same person's other faces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.text.scene_text_engine import Box


@dataclass(frozen=True, slots=True)
class Face:
    """One face; `box` is left, top, width and height as shares of the picture, and `confidence` that it is a face.

    How far two embeddings lie apart (Euclidean) says whether they are of one person.
    """

    box: Box
    confidence: float
    embedding: tuple[float, ...]


class FaceEngine(Protocol):
    """A finder of faces."""

    @property
    def id(self) -> str:
        """Models and version; embeddings of different engines cannot be compared."""
        ...

    @property
    def same_person(self) -> float:
        """Distance of two embeddings up to which they are taken for one person's."""
        ...

    def find(self, picture: npt.NDArray[np.uint8]) -> list[Face]:
        """The faces of a picture, (height, width, 3) BGR, from left to right."""
        ...
