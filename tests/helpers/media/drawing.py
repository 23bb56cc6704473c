"""Plain shapes drawn into pictures."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from helpers.media.clips import Picture

RED, GREEN, BLUE, YELLOW = (30, 30, 220), (40, 170, 40), (220, 80, 20), (30, 220, 230)


def circle(picture: Picture, middle: tuple[float, float], radius: int, colour: tuple[int, int, int]) -> Picture:
    """The picture with a filled circle on it, BGR."""
    place = round(middle[0]), round(middle[1])
    return np.asarray(cv2.circle(picture.copy(), place, radius, colour, cv2.FILLED, cv2.LINE_AA), np.uint8)


def polygon(picture: Picture, corners: list[tuple[int, int]], colour: tuple[int, int, int]) -> Picture:
    """The picture with a filled polygon on it, BGR."""
    points: Any = np.array(corners, np.int32)
    return np.asarray(cv2.fillPoly(picture.copy(), [points], colour, cv2.LINE_AA), np.uint8)


def box(picture: Picture, left: int, top: int, width: int, height: int, colour: tuple[int, int, int]) -> Picture:
    """The picture with a filled upright rectangle on it, BGR."""
    right, bottom = left + width, top + height
    return polygon(picture, [(left, top), (right, top), (right, bottom), (left, bottom)], colour)
