"""Shots: where one camera take ends and the next begins."""

from __future__ import annotations

from typing import Protocol

from longtake.memory.layers import LayerWriter
from longtake.preprocess.frames import Frame, Picture

SHOT_PICTURE = (160, 90)  # the detector finds the same cuts as at full size


class CutDetector(Protocol):
    """Finds cuts in one pass over a file."""

    def see(self, time: float, picture: Picture) -> list[float]:
        """Times of the cuts that this small picture makes certain; a cut may be told some frames late."""
        ...


class ShotEngine(Protocol):
    """What the capability `shots` supplies."""

    id: str

    def detector(self, fps: float) -> CutDetector:
        """A detector for one pass over frames that come at about `fps`."""
        ...


class ShotBoundaries:
    """Follows the open shot. It sees each frame before the observers that ask when the open shot started."""

    def __init__(self, detector: CutDetector, writer: LayerWriter | None) -> None:
        self.start: float | None = None
        self._transition = "start"
        self._detector = detector
        self._writer = writer

    def see(self, frame: Frame) -> None:
        """Look at the next frame."""
        if self.start is None:
            self.start = frame.time
        for cut in self._detector.see(frame.time, frame.small_bgr(*SHOT_PICTURE)):
            self._close(cut)
            self.start, self._transition = cut, "cut"

    def finish(self, end: float) -> None:
        """Close the last shot."""
        self._close(end)

    def _close(self, end: float) -> None:
        if self._writer is not None and self.start is not None:
            self._writer.add(
                {"start": round(self.start, 3), "end": round(end, 3), "transition": self._transition},
            )
