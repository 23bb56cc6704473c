"""Keyframes: one picture for each shot."""

from __future__ import annotations

from dataclasses import dataclass

from longtake.memory.layers import LayerWriter
from longtake.preprocess.frames import Frame, Picture, encode_jpeg
from longtake.preprocess.shots import ShotBoundaries

_QUALITY = 88
_CANDIDATES = 8
_SPACING = 0.5  # seconds between candidates while a shot is short
_DULL = 12.0  # standard deviation of brightness below which a picture shows next to nothing


@dataclass(frozen=True, slots=True)
class _Candidate:
    time: float
    picture: Picture

    @property
    def shows_something(self) -> bool:
        return float(self.picture.std()) >= _DULL


class Keyframes:
    """Keeps a few candidates spread over the open shot; its length never changes how many."""

    def __init__(self, shots: ShotBoundaries, writer: LayerWriter, height: int) -> None:
        self._shots = shots
        self._writer = writer
        self._height = height
        self._start: float | None = None
        self._candidates: list[_Candidate] = []
        self._spacing = _SPACING

    def see(self, frame: Frame) -> None:
        """Look at the next frame."""
        if self._shots.start != self._start:
            self._enter_shot(self._shots.start)
        if not self._candidates or frame.time >= self._candidates[-1].time + self._spacing:
            self._candidates.append(_Candidate(frame.time, self._shrunk(frame)))
        if len(self._candidates) > _CANDIDATES:
            self._candidates = self._candidates[::2]
            self._spacing *= 2

    def finish(self, end: float) -> None:
        """Close the last shot."""
        self._close(end)

    def _enter_shot(self, start: float | None) -> None:
        # A cut may be told late: what was seen after it belongs to the new shot.
        late = [each for each in self._candidates if start is not None and each.time >= start]
        self._candidates = self._candidates[: len(self._candidates) - len(late)]
        if start is not None:
            self._close(start)
        self._start, self._candidates, self._spacing = start, late, _SPACING

    def _close(self, end: float) -> None:
        if self._start is None or not self._candidates:
            return
        middle = (self._start + end) / 2
        best = min(self._candidates, key=lambda each: (not each.shows_something, abs(each.time - middle)))
        name = f"{round(best.time * 1000):09d}.jpg"
        (self._writer.folder / name).write_bytes(encode_jpeg(best.picture, _QUALITY))
        self._writer.add(
            {"time": round(best.time, 3), "start": round(self._start, 3), "end": round(end, 3), "file": name}
        )

    def _shrunk(self, frame: Frame) -> Picture:
        width, height = frame.stream.width, frame.stream.height
        return frame.bgr(round(max(width, height) * min(1.0, self._height / height)))
