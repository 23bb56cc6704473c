"""Scene text: what is written in a picture, where, and how sure the reader is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TextBox:
    """One text in a picture; `box` is left, top, width and height as shares of the picture."""

    text: str
    box: Box
    confidence: float


class SceneTextEngine(Protocol):
    """A reader of pictures."""

    @property
    def id(self) -> str:
        """Model, version and the size it reads at."""
        ...

    def read(self, picture: npt.NDArray[np.uint8], long_side: int | None = None) -> list[TextBox]:
        """Find and read the texts of a picture, (height, width, 3) BGR, in no promised order.

        With `long_side` the reading is thorough and costs more: detection sees that many pixels of the long side
        instead of what the engine's setting says. A smaller picture is never enlarged.
        """
        ...

    def read_region(self, picture: npt.NDArray[np.uint8], box: Box) -> TextBox:
        """Read one line at a known place, without looking for it: quick enough for every frame of a counter.

        Nothing is filtered: where there is no text the text is empty or the confidence low.
        """
        ...
