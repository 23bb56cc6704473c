"""A small joint embedding of pictures and texts: the colours that a picture has, and the colours that a text names."""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np

from longtake.memory.search.search_types import Vectors
from longtake.preprocess.media.frames import Picture
from longtake.settings import Settings

COLOURS = {  # BGR
    "red": (0, 0, 200),
    "green": (0, 170, 0),
    "blue": (200, 0, 0),
    "yellow": (0, 210, 210),
    "white": (255, 255, 255),
    "black": (0, 0, 0),
}
_CELLS = (8, 8)


class ColourEmbedding:
    """One axis a colour: the share of a picture's cells that are nearest to it, or how often a text names it."""

    id = "colours-1"
    dimensions = len(COLOURS)
    floor = 0.5

    def __init__(self, settings: Settings) -> None:
        self._palette = np.array(list(COLOURS.values()), np.float32)

    def embed_images(self, pictures: Sequence[Picture]) -> Vectors:
        return self._unit([self._shares(picture) for picture in pictures])

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        named = [re.findall("[a-z]+", text.lower()) for text in texts]
        return self._unit([[words.count(colour) for colour in COLOURS] for words in named])

    def _shares(self, picture: Picture) -> list[float]:
        cells = np.asarray(cv2.resize(picture, _CELLS, interpolation=cv2.INTER_AREA), np.float32).reshape(-1, 1, 3)
        nearest = np.argmin(np.linalg.norm(cells - self._palette, axis=2), axis=1)
        return [float(np.mean(nearest == colour)) for colour in range(self.dimensions)]

    def _unit(self, rows: Sequence[Sequence[float]]) -> Vectors:
        vectors = np.asarray(rows, np.float32).reshape(-1, self.dimensions)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        return unit
