"""Fades in: the picture turns black at once, or starts there, and a new one comes out of it little by little.

Such a fade need not show a frame that is quite black. Its first frame is the darkest and plainest, and each later one a
mixture of that one and the picture that it ends with, as in a dissolve.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from longtake.preprocess.analysis.changes import HISTORY, Changes, Look
from longtake.preprocess.transitions.dissolves import CELLS, explain_by_mixture
from longtake.preprocess.transitions.fades import LONG_BLACK, Gradual, is_black

_EVERY = 3  # frames between two tests
_LENGTHS = (12, 18, 27, 40, HISTORY)  # frames in which a fade is looked for
_BLACK_LEVEL = 16.0  # of most files
_LEAST_RISE = 10.0  # levels
_DARK, _PLAIN = 0.2, 0.05  # of the level above black, and of the variance, of the picture that comes out
_FEWEST_FRAMES = 5
_LARGEST_STEP = 0.5  # of the way; more is a cut
_UNEXPLAINED = 0.2  # of the way, by which a frame may miss the mixture
_AT_REST, _MOVED_AT_REST = 2, 0.05  # frames at the end, which may have moved by so much of the way


class FadesIn:
    """Looks for them in the latest frames."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._frames = 0
        self._found_until = -1.0

    def observe(self) -> list[Gradual]:
        """Look at the latest frame; the fade that it makes certain, with the first frame as its time."""
        self._frames += 1
        if self._frames % _EVERY or self._changes.at_rest:
            return []
        looks = [*self._changes.recent]
        for length in _LENGTHS:
            fade = _within(looks[-length:])
            if fade and fade.start > self._found_until:
                self._found_until = fade.end
                return [fade]
        return []


def _within(looks: Sequence[Look]) -> Gradual | None:
    """The fade that begins with the darkest of these frames, which follows another picture, and ends by the last."""
    first = min(range(len(looks)), key=lambda place: looks[place].level)
    dark, last = looks[first], looks[-1]
    # Cheapest first: nearly every stretch of frames fails here.
    if not first or is_black(looks[first - 1]) or last.level - dark.level < _LEAST_RISE:
        return None
    if dark.level - _BLACK_LEVEL > _DARK * (last.level - _BLACK_LEVEL):
        return None
    if dark.contrast > _PLAIN * last.contrast or len(looks) - first < _FEWEST_FRAMES + _AT_REST:
        return None
    cells = [cv2.resize(look.luma, CELLS, interpolation=cv2.INTER_AREA) for look in looks[first:]]
    frames = np.stack(cells).astype(np.float32).reshape(len(cells), -1)
    shares, unexplained = explain_by_mixture(frames[0], frames[-1], frames)
    steps = np.diff(shares)
    if unexplained.max() > _UNEXPLAINED or steps.max() > _LARGEST_STEP or steps.min() < -_MOVED_AT_REST:
        return None
    moving = np.flatnonzero(steps > _MOVED_AT_REST / 2)
    if len(moving) < _FEWEST_FRAMES or shares[-1 - _AT_REST] < 1 - _MOVED_AT_REST:
        return None
    if looks[first + int(moving[0])].time - dark.time >= LONG_BLACK:
        return None  # black that is a shot of its own
    return Gradual(dark.time, dark.time, looks[first + int(moving[-1]) + 1].time)
