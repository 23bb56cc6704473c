"""Names the colours of pixels: the eleven basic English terms (Berlin and Kay, 1969) and cyan, as ranges of hue."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.media.frames import Picture

COLOURS: tuple[str, ...] = (*"red orange yellow green cyan blue purple pink brown black grey white".split(),)

# OpenCV's hue runs from 0 to 179, saturation and value from 0 to 255.
_HUES = (("red", 8), ("orange", 21), ("yellow", 34), ("green", 85), ("cyan", 98), ("blue", 130), ("purple", 146))
_PURPLE_OR_PINK, _PINK = 165, 172  # from 146 to the first, a bright colour is pink; after the second comes red
_BLACK, _WHITE = 50, 190  # values: below the first is black; pale and above the second is white
_PALE = 50  # saturation; below this, a colour is grey or white
_BROWN = 150  # value; below this, orange is brown
_BRIGHT = 190  # value; from here on, magenta is called pink

Labels = npt.NDArray[np.uint8]


def label_colours(picture: Picture) -> Labels:
    """The index in `COLOURS` of each pixel's colour, (height, width), for a picture (height, width, 3) BGR."""
    smooth = cv2.medianBlur(picture, 3) if min(picture.shape[:2]) > 3 else picture
    hue, saturation, value = cv2.split(np.asarray(cv2.cvtColor(smooth, cv2.COLOR_BGR2HSV), np.uint8))
    labels = np.asarray(_HUE_LABELS[np.asarray(hue, np.uint8)], np.uint8)
    labels[(labels == _number("orange")) & (value < _BROWN)] = _number("brown")
    labels[(hue >= _HUES[-1][1]) & (hue < _PURPLE_OR_PINK) & (value < _BRIGHT)] = _number("purple")
    pale = saturation < _PALE
    labels[pale] = _number("grey")
    labels[pale & (value >= _WHITE)] = _number("white")
    labels[value < _BLACK] = _number("black")
    return labels


def colour_mask(labels: Labels, colour: str) -> npt.NDArray[np.uint8]:
    """255 where pixels have this colour, 0 elsewhere."""
    return np.where(labels == _number(colour), np.uint8(255), np.uint8(0))


def commonest_colour(labels: Labels, inside: npt.NDArray[np.bool_]) -> str:
    """The most common colour in a non-empty region."""
    return COLOURS[int(np.bincount(labels[inside], minlength=len(COLOURS)).argmax())]


def _number(colour: str) -> int:
    return COLOURS.index(colour)


def _hue_labels() -> Labels:
    labels = np.full(256, _number("red"), np.uint8)
    start = 0
    for colour, end in _HUES:
        labels[start:end] = _number(colour)
        start = end
    labels[start:_PINK] = _number("pink")
    return labels


_HUE_LABELS = _hue_labels()
