"""A small detector: a red patch is a person, a blue one a dog."""

from __future__ import annotations

import cv2
import numpy as np

from longtake.preprocess.engines.objects.object_engine import FoundObject, box_of
from longtake.preprocess.media.frames import Picture
from longtake.settings import Settings

_NAMES = {"person": 2, "dog": 0}  # and their channels
_SMALLEST = 100  # pixels
_LEAST = 90  # by which a patch's channel is above the others


class ColourDetector:
    """Keeps count of the pictures it was shown, over all of its kind."""

    id = "colour-detector-1"
    shown = 0

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""

    def detect(self, picture: Picture) -> list[FoundObject]:
        type(self).shown += 1
        return [found for name, channel in _NAMES.items() for found in self._patches(picture, name, channel)]

    def _patches(self, picture: Picture, name: str, channel: int) -> list[FoundObject]:
        others = np.delete(picture, channel, axis=2).max(axis=2).astype(np.int16)
        mask = (picture[..., channel] - others > _LEAST).astype(np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        boxes = (cv2.boundingRect(contour) for contour in contours if cv2.contourArea(contour) > _SMALLEST)
        return [FoundObject(name, box_of(box, picture.shape), 0.8) for box in boxes]
