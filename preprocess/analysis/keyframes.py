"""Picks keyframes: a picture for every second, and the best one for each shot."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import cv2

from longtake.preprocess.analysis.observers import ObservedItems
from longtake.preprocess.media.frames import Frame, Picture, encode_jpeg
from longtake.preprocess.transitions.shot_boundaries import ShotBoundaries

_QUALITY = 88
_DULL = 12.0  # standard deviation of brightness; below this, a picture shows almost nothing
_SETTLED = 0.2  # seconds after a cut; when to picture a shot that ends before the next full second


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A picture kept, and whether it shows anything."""

    time: float
    file: str
    dull: bool


class Keyframes:
    """Keeps the first frame of every second, and one more soon after each cut, so that every shot has a picture.

    Items are {time, start, end, file, kind}: kind `second` lasts until the next second's picture; kind `shot`
    represents its shot, and is from near the shot's middle.
    """

    def __init__(self, shots: ShotBoundaries, height: int) -> None:
        self.found = ObservedItems()
        self._shots = shots
        self._height = height
        self._second = -1
        self._picture: tuple[float, str] | None = None  # of that second: time and file
        self._shot: float | None = None
        self._candidates: list[_Candidate] = []  # of the open shot

    def observe(self, frame: Frame) -> None:
        """Process the next frame."""
        if self._shots.start != self._shot:
            self._enter_shot(self._shots.start)
        second = floor(frame.time)
        if second > self._second:
            self._end_second(second)
            self._second, self._picture = second, (frame.time, self._keep(frame))
        elif self._shot is not None and not self._candidates and frame.time >= self._shot + _SETTLED:
            self._keep(frame)

    def finish(self, end: float) -> None:
        """Close the last second and the last shot."""
        self._end_second(end)
        self._close(end)

    def _end_second(self, end: float) -> None:
        if self._picture is not None:
            time, file = self._picture
            end = round(end, 3)
            self.found.items.append(
                {"time": time, "start": float(self._second), "end": end, "file": file, "kind": "second"}
            )

    def _enter_shot(self, start: float | None) -> None:
        # A cut may be reported late: pictures after it belong to the new shot.
        late = [each for each in self._candidates if start is not None and each.time >= start]
        self._candidates = self._candidates[: len(self._candidates) - len(late)]
        if start is not None:
            self._close(start)
        self._shot, self._candidates = start, late

    def _close(self, end: float) -> None:
        if self._shot is None or not self._candidates:
            return
        middle = (self._shot + end) / 2
        best = min(self._candidates, key=lambda each: (each.dull, abs(each.time - middle)))
        item = {"time": best.time, "start": round(self._shot, 3), "end": round(end, 3), "file": best.file}
        self.found.items.append(item | {"kind": "shot"})

    def _keep(self, frame: Frame) -> str:
        file = f"{round(frame.time * 1000):09d}.jpg"
        self.found.files[file] = encode_jpeg(self._shrunk(frame), _QUALITY)
        dull = float(cv2.meanStdDev(frame.small_bgr)[1].max()) < _DULL
        self._candidates.append(_Candidate(frame.time, file, dull))
        return file

    def _shrunk(self, frame: Frame) -> Picture:
        width, height = frame.stream.width, frame.stream.height
        return frame.bgr(round(max(width, height) * min(1.0, self._height / height)))
