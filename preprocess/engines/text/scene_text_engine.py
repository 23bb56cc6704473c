"""The protocol of scene-text engines, which read the text in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TextBox:
    """One text in a picture; `box` is left, top, width and height as fractions of the picture."""

    text: str
    box: Box
    confidence: float


class SceneTextEngine(Protocol):
    """Reads text in pictures."""

    @property
    def id(self) -> str:
        """Model, version and the size it reads at."""
        ...

    def read(self, picture: npt.NDArray[np.uint8], long_side: int | None = None) -> list[TextBox]:
        """Find and read the texts in a picture, (height, width, 3) BGR, in any order.

        With `long_side`, reading is thorough and slower: detection uses this many pixels on the long side instead of
        the engine's setting. A smaller picture is never enlarged.
        """
        ...

    def read_all(self, pictures: Sequence[npt.NDArray[np.uint8]]) -> list[list[TextBox]]:
        """Read each picture as `read` does, several at the same time where that is faster."""
        ...

    def read_region(self, picture: npt.NDArray[np.uint8], box: Box) -> TextBox:
        """Read one line at a known place without detection, fast enough for every frame of a counter.

        Nothing is filtered: without text there, the result is empty or has low confidence.
        """
        ...
