"""Selects the frames worth reading for on-screen text.

Text shows as dense, strong changes of brightness along a row, light to dark as often as dark to light (Smith and
Kanade, 1995, used them to find captions). A frame is chosen if its text-like cells differ from those of the last one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import median

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.analysis.observers import ObservedItems
from longtake.preprocess.media.coverage import MIN_GAP
from longtake.preprocess.media.frames import Frame, Picture, encode_jpeg
from longtake.preprocess.transitions.shot_boundaries import ShotBoundaries

_QUALITY = 92
_LONG_SIDE = 1280
_LOOK_SIDE = 480  # long side of the picture searched for text
_LOOK_EVERY = 0.25  # seconds, as long as nothing sudden happens
_SUDDEN = 3.0  # times the usual difference between frames: something appeared, disappeared or was replaced
_SUDDEN_LEVELS = 0.4  # mean levels of a sudden difference; less is noise
_RECENT = 12  # differences whose median is the usual one
_SUDDEN_FOR = 0.15  # seconds after it in which every frame is checked: new text may vanish again immediately
_CELL = (16, 8)  # pixels of that picture, about two small letters
_REACH = 2  # pixels across which a letter's edge may be blurred
_STROKE = 40  # levels between the two sides of that edge
_DENSE = 0.08  # share of a cell's pixels that rise, and share that fall, by a stroke
_CHANGED = 0.5  # share of a cell's strokes that moved, appeared or disappeared
_REWRITTEN = 0.3  # share of a cell's strokes that differ where a character has been replaced, and nothing moves
_TRACE = 0.1  # share of a cell's pixels that differ where anything has changed
_LARGE = 5  # cells with such a trace that a character too large to look like text has
_ELSEWHERE = 0.08  # share of all cells with a trace from which something else has changed, too
_STOOD = 1.5  # seconds after which a replaced character is read; those of a running clock go before
_COUNTING = 10.0  # seconds after which a running clock is read again
_APART = 0.2  # seconds between two looks that show whether the picture has settled
_STAYS = 1.0  # seconds for which a frame is shown that has settled by itself
_MAX_WAIT = 2.0  # seconds between two frames chosen from a picture that doesn't
_MIN_CELLS = 2  # cells; a change in fewer is noise
_MIN_CELLS_UNSETTLED = 5  # cells; a passing change in fewer is motion
_MOVED = 8.0  # mean levels by which a small picture differs if it shows another part of the scene
_BURST = 3.0  # frames that may be chosen in quick succession after a quiet period


@dataclass(frozen=True, slots=True)
class _Look:
    """A frame's strokes (255 or 0 for each pixel), their density per cell, and which cells look like text."""

    small: Picture
    luma: Picture
    strokes: Picture
    density: npt.NDArray[np.float32]
    text: npt.NDArray[np.bool_]

    @property
    def amount(self) -> int:
        """Number of cells that look like text."""
        return int(np.count_nonzero(self.text))

    def moved(self, other: _Look) -> bool:
        """Whether the scene as a whole looks different."""
        return self.differs(other, _MOVED)

    def differs(self, other: _Look, levels: float) -> bool:
        """Whether the small pictures differ by more than these mean levels."""
        return cv2.norm(self.small, other.small, cv2.NORM_L1) > levels * self.small.size

    def rewritten(self, other: _Look) -> bool:
        """Whether some character differs, and the rest is the same."""
        strokes = _per_cell(self.strokes ^ other.strokes)
        traces = int(np.count_nonzero(strokes > _TRACE))
        replaced = (self.text | other.text) & (strokes > _REWRITTEN * np.maximum(self.density, other.density))
        return traces <= _ELSEWHERE * strokes.size and (traces >= _LARGE or bool(replaced.any()))

    def changes(self, other: _Look) -> int:
        """Number of cells that look like text in either look and have different strokes."""
        other_strokes = _per_cell(self.strokes ^ other.strokes)
        density = np.maximum(self.density, other.density)
        return int(np.count_nonzero((self.text | other.text) & (other_strokes > _CHANGED * density)))


def look_at(frame: Frame, before: _Look | None) -> _Look:
    """Find the strokes of a frame, downscaled to at most 480 pixels on the long side; reuses `before` if unchanged."""
    scale = min(1.0, _LOOK_SIDE / max(frame.stream.width, frame.stream.height))
    columns, rows = (
        max(1, round(side * scale / cell))
        for side, cell in zip((frame.stream.width, frame.stream.height), _CELL, strict=True)
    )
    luma = frame.luma(columns * _CELL[0] + _REACH, rows * _CELL[1])
    if before is not None and np.array_equal(luma, before.luma):
        return before
    # Contiguous, because OpenCV takes twenty times as long over views.
    left, right = np.ascontiguousarray(luma[:, :-_REACH]), np.ascontiguousarray(luma[:, _REACH:])
    rising, falling = _brighter(right, left), _brighter(left, right)
    strokes = rising | falling
    rises, density = _per_cell(rising), _per_cell(strokes)
    dense = (rises > _DENSE) & (density - rises > _DENSE)
    neighbours = np.zeros_like(dense)
    neighbours[:, 1:] |= dense[:, :-1]
    neighbours[:, :-1] |= dense[:, 1:]
    return _Look(frame.small_luma, luma, strokes, density, dense & neighbours)


class _Sight:
    """A frame that may be chosen, with its look. It pickles as a JPEG, because a decoder's picture can't be stored."""

    def __init__(self, frame: Frame, before: _Sight | None) -> None:
        self.time = frame.time
        self.stays = frame.duration >= _STAYS
        self.look: _Look = look_at(frame, before.look if before else None)
        self._frame: Frame | None = frame
        self._jpeg = b""

    def jpeg(self) -> bytes:
        """The picture for text recognition."""
        if self._frame is not None:
            return encode_jpeg(self._frame.bgr(_LONG_SIDE), _QUALITY)
        return self._jpeg

    def __getstate__(self) -> dict[str, object]:
        return {"time": self.time, "stays": self.stays, "look": self.look, "_frame": None, "_jpeg": self.jpeg()}


class _Suddenness:
    """Distinguishes a sudden change of the picture from its usual motion, cheaply enough for every frame."""

    def __init__(self) -> None:
        self._before: Picture | None = None
        # Mean levels between neighbouring frames, without repeated frames, which low-frame-rate material has many of.
        self._recent: deque[float] = deque(maxlen=_RECENT)

    def observe(self, frame: Frame) -> bool:
        """Whether this frame differs from the last much more than usual."""
        small, before = frame.small_luma, self._before
        self._before = small
        difference = cv2.norm(small, before, cv2.NORM_L1) / small.size if before is not None else 0.0
        sudden = difference > _SUDDEN_LEVELS and difference > _SUDDEN * median(self._recent or (0.0,))
        if difference > 0:
            self._recent.append(difference)
        return sudden


class TextFrames:
    """Chooses frames as text appears, changes and disappears, at most `per_second` of them in the long run.

    Every shot gets at least one. A change is taken once two looks agree. If the picture doesn't settle, the change is
    taken after `1 / per_second` seconds, then after increasingly longer waits; text that has gone by then is taken as
    it last was. Faint text doesn't look like text at this size, so a moving scene is also read every other turn, and
    once more at the end of its shot.
    """

    def __init__(self, shots: ShotBoundaries, per_second: float) -> None:
        self.found = ObservedItems()
        self._shots = shots
        self._turn = 1 / per_second
        self._patience = self._turn
        self._allowance = _BURST
        self._shot: float | None = None
        self._end = 0.0  # of the last frame
        self._change = _Suddenness()
        self._sudden_until = -1.0
        self._last: _Sight | None = None  # of this shot
        self._reference: _Look | None = None  # of the last frame taken in this shot
        self._taken_at = 0.0
        self._pending: _Sight | None = None  # a change that is not taken yet
        self._changed_at = 0.0
        self._rewritten_at: float | None = None  # since when a character differs from the last frame taken
        self._chosen: tuple[float, str] | None = None  # start and file of the open item

    def observe(self, frame: Frame) -> None:
        """Process the next frame."""
        before, self._end = self._end, frame.end
        lost = frame.time - before >= MIN_GAP  # whether the text stayed isn't known
        if lost or self._shots.changed_at != self._shot:
            self._end_shot()
            if lost:
                self._close(before)
            self._shot, self._last, self._reference = self._shots.changed_at, None, None
            self._patience = self._turn
        elif not self._is_worth_a_look(frame):
            return
        sight = _Sight(frame, self._last)
        if self._last:
            self._allowance = min(_BURST, self._allowance + (sight.time - self._last.time) / self._turn)
        self._follow(sight)
        self._last = sight

    def finish(self, end: float) -> None:
        """Close the last item."""
        self._end_shot()
        self._close(end)

    def _is_worth_a_look(self, frame: Frame) -> bool:
        """Whether a look is due, or something sudden just happened."""
        if self._change.observe(frame):
            self._sudden_until = frame.time + _SUDDEN_FOR
        since = frame.time - self._last.time if self._last else _LOOK_EVERY
        return since >= _LOOK_EVERY or frame.time <= self._sudden_until

    def _follow(self, sight: _Sight) -> None:
        if self._reference is not None and sight.look.changes(self._reference) < _MIN_CELLS:
            # The picture has returned: the change in between was brief, and is taken now if it was text.
            if not self._was_brief_text(self._reference):
                self._pending = None
                if self._overdue(sight, 2 * self._turn):
                    self._take(sight, sight.time)
                elif sight.look.rewritten(self._reference):
                    self._follow_rewritten(sight)
                else:
                    self._rewritten_at = None
                return
            self._take_pending()
        if self._pending is None:
            self._changed_at = sight.time
        settled = self._has_settled(sight)
        if settled or self._pending is None or sight.look.amount >= self._pending.look.amount:
            self._pending = sight
        waited = sight.time - self._changed_at >= self._patience and self._pending_is_clear()
        if (settled or waited) and self._allowance >= 1:
            self._take_pending(patient=not settled)

    def _follow_rewritten(self, sight: _Sight) -> None:
        """Take a picture in which a character was replaced once that has stood for a while, or has changed for long."""
        if self._rewritten_at is None or (self._last and sight.look.rewritten(self._last.look)):
            self._rewritten_at = sight.time
        stood = sight.stays or sight.time - self._rewritten_at >= _STOOD
        if (stood or sight.time - self._taken_at >= _COUNTING) and self._allowance >= 1:
            self._take(sight, self._rewritten_at)

    def _has_settled(self, sight: _Sight) -> bool:
        """Whether the last look shows the same. In a moving picture, agreement of adjacent frames isn't enough."""
        if sight.stays:
            return True
        last = self._last
        if last is None or sight.look.changes(last.look) >= _MIN_CELLS:
            return False
        return sight.time - last.time >= _APART or not sight.look.differs(last.look, _SUDDEN_LEVELS)

    def _pending_is_clear(self) -> bool:
        """Whether the pending change is too large to be mere motion."""
        if self._pending is None or self._reference is None:
            return True
        return self._pending.look.changes(self._reference) >= _MIN_CELLS_UNSETTLED

    def _was_brief_text(self, before: _Look) -> bool:
        more = self._pending is not None and self._pending.look.amount > before.amount
        return more and self._allowance >= 1 and self._pending_is_clear()

    def _take_pending(self, *, patient: bool = False) -> None:
        """Take the change. If `patient`, the next one waits longer while the whole scene is moving."""
        if self._pending is None:
            return
        moves = patient and self._reference is not None and self._pending.look.moved(self._reference)
        self._patience = min(2 * self._patience, _MAX_WAIT) if moves else self._turn
        self._take(self._pending, self._changed_at)

    def _end_shot(self) -> None:
        if self._pending is not None:
            self._take_pending()
        elif self._last is not None and self._overdue(self._last, self._turn / 2):
            self._take(self._last, self._last.time)

    def _overdue(self, sight: _Sight, wait: float) -> bool:
        late = sight.time - self._taken_at >= wait
        return late and self._reference is not None and sight.look.moved(self._reference)

    def _take(self, sight: _Sight, start: float) -> None:
        """Choose a frame whose text has been visible since `start`, unless it merely shows that text has gone."""
        self._close(start)
        vanished = self._reference is not None and self._reference.amount > 0 and sight.look.amount == 0
        if not vanished:
            file = f"{round(sight.time * 1000):09d}.jpg"
            self.found.files[file] = sight.jpeg()
            self._chosen = start, file
            self._allowance -= 1
        self._reference, self._taken_at, self._pending = sight.look, sight.time, None
        self._rewritten_at = None

    def _close(self, end: float) -> None:
        if self._chosen is not None:
            start, file = self._chosen
            self.found.items.append({"start": round(start, 3), "end": round(end, 3), "file": file})
            self._chosen = None


def _brighter(one: Picture, other: Picture) -> Picture:
    """255 where a pixel is brighter by a stroke, else 0."""
    more = cv2.threshold(cv2.subtract(one, other), _STROKE, 255, cv2.THRESH_BINARY)[1]
    return np.asarray(more, dtype=np.uint8)


def _per_cell(pixels: Picture) -> npt.NDArray[np.float32]:
    """Share of the pixels of each cell that are set."""
    height, width = pixels.shape
    cells = cv2.resize(pixels, (width // _CELL[0], height // _CELL[1]), interpolation=cv2.INTER_AREA)
    return np.asarray(cells, dtype=np.float32) / np.float32(255)
