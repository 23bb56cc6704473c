"""Finds fades in: the picture turns black abruptly, or starts black, and a new one gradually emerges.

No frame of such a fade has to be completely black. Its first frame is the darkest and plainest, and each later one is a
mixture of that one and the final picture, as in a dissolve.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from longtake.preprocess.analysis.changes import HISTORY, Changes, Look
from longtake.preprocess.transitions.dissolves import CELLS, explain_by_mixture
from longtake.preprocess.transitions.fades import LONG_BLACK, Gradual, is_black

_EVERY = 3  # frames between two tests
_LENGTHS = (12, 18, 27, 40, HISTORY)  # window lengths in frames
_BLACK_LEVEL = 16.0  # in most files
_MIN_RISE = 10.0  # levels
_DARK, _PLAIN = 0.2, 0.05  # shares of the final picture's level above black, and of its variance
_MIN_FRAMES = 5
_MAX_STEP = 0.5  # of the way; more is a cut
_UNEXPLAINED = 0.2  # share of the way by which a frame may miss the mixture
_AT_REST, _MOVED_AT_REST = 2, 0.05  # frames at the end, and the share of the way those may still move


class FadesIn:
    """Finds fades in among the latest frames."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._frames = 0
        self._found_until = -1.0

    def observe(self) -> list[Gradual]:
        """Process the latest frame; returns a newly confirmed fade, with its first frame as its time."""
        self._frames += 1
        if self._frames % _EVERY or self._changes.at_rest:
            return []
        looks = [*self._changes.recent]
        levels = [look.level for look in looks]
        for length in _LENGTHS:
            fade = _within(looks[-length:], levels[-length:])
            if fade and fade.start > self._found_until:
                self._found_until = fade.end
                return [fade]
        return []


def _within(looks: Sequence[Look], levels: Sequence[float]) -> Gradual | None:
    """The fade from the darkest of these frames, which follows another picture, to the last."""
    first = levels.index(min(levels))
    dark, last = looks[first], looks[-1]
    # Cheapest first: nearly every run of frames fails here.
    if not first or is_black(looks[first - 1]) or last.level - dark.level < _MIN_RISE:
        return None
    if dark.level - _BLACK_LEVEL > _DARK * (last.level - _BLACK_LEVEL):
        return None
    if dark.contrast > _PLAIN * last.contrast or len(looks) - first < _MIN_FRAMES + _AT_REST:
        return None
    cells = [cv2.resize(look.luma, CELLS, interpolation=cv2.INTER_AREA) for look in looks[first:]]
    frames = np.stack(cells).astype(np.float32).reshape(len(cells), -1)
    shares, unexplained = explain_by_mixture(frames[0], frames[-1], frames)
    steps = np.diff(shares)
    if unexplained.max() > _UNEXPLAINED or steps.max() > _MAX_STEP or steps.min() < -_MOVED_AT_REST:
        return None
    moving = np.flatnonzero(steps > _MOVED_AT_REST / 2)
    if len(moving) < _MIN_FRAMES or shares[-1 - _AT_REST] < 1 - _MOVED_AT_REST:
        return None
    if looks[first + int(moving[0])].time - dark.time >= LONG_BLACK:
        return None  # the black is its own shot
    return Gradual(dark.time, dark.time, looks[first + int(moving[-1]) + 1].time)
