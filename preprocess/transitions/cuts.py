"""Finds hard cuts: the picture changes abruptly, much more than in nearby frames, and doesn't change back.

Comparing with neighbouring frames follows PySceneDetect's adaptive detector. A flash, in contrast, changes the picture
twice within a moment and returns to the earlier picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import cv2

from longtake.preprocess.analysis.changes import Changes, Look
from longtake.preprocess.media.frames import Frame, Picture

_MIN_CHANGE = 2.0  # mean levels of brightness
_STANDS_OUT = 2.0  # times the mean change of the two frames before, and of the two after
_RETURNED = 0.4  # share of the change by which a returned picture may still differ from the original


@dataclass(slots=True)
class _Candidate:
    """A sudden change; `before` is the picture it replaced, and `change` is in levels."""

    time: float
    before: Picture
    change: float
    after: float = 0.0  # changes that followed, in levels
    frames: int = 0

    def stays(self, look: Look) -> bool:
        """Whether it is still a cut candidate after one more frame."""
        self.frames += 1
        if self.frames <= 2:
            self.after += look.change
            if self.frames == 2 and self.change < _STANDS_OUT * self.after / 2:
                return False
        return _distance(look.luma, self.before) > _RETURNED * self.change


class Cuts:
    """Finds hard cuts; reports each once the picture hasn't returned for the length of the shortest shot."""

    def __init__(self, changes: Changes, threshold: float, min_shot_seconds: float) -> None:
        self._changes = changes
        self._threshold = threshold
        self._shortest = min_shot_seconds
        self.suspected = 0.0  # time of the latest sudden change, which may turn out to be a flash
        self._last: Frame | Picture | None = None
        self._candidates: list[_Candidate] = []

    def observe(self, frame: Frame) -> list[float]:
        """Process the next frame; returns the times of newly confirmed cuts."""
        look = self._changes.recent[-1]
        self._candidates = [each for each in self._candidates if each.stays(look)]
        if self._may_be_cut(look) and self._differ(_picture(self._last), frame.small_bgr):
            self.suspected = look.time
            self._candidates.append(_Candidate(look.time, self._changes.recent[-2].luma, look.change))
        self._last = frame
        certain = [each.time for each in self._candidates if each.time <= look.time - self._shortest]
        self._candidates = [each for each in self._candidates if each.time > look.time - self._shortest]
        return certain

    def finish(self) -> list[float]:
        """Times of the cuts too close to the end for the picture to return."""
        return [each.time for each in self._candidates]

    def __getstate__(self) -> dict[str, Any]:
        last = None if self._last is None else _picture(self._last)
        return self.__dict__ | {"_last": last}

    def _differ(self, before: Picture, after: Picture) -> bool:
        """Whether two pictures, (90, 160, 3) BGR, differ as much as two shots do."""
        from scenedetect import ContentDetector, FrameTimecode  # a question makes the engine, but looks at no frame

        # Without the detector's flash filter, which needs every frame: `_Candidate` checks whether the picture returns.
        detector, moment = ContentDetector(threshold=self._threshold, min_scene_len=0), FrameTimecode(0, 1.0)
        detector.process_frame(moment, before)
        return bool(detector.process_frame(moment, after))

    def _may_be_cut(self, look: Look) -> bool:
        recent = self._changes.recent
        if look.change < _MIN_CHANGE or len(recent) < 2:
            return False
        before = [each.change for each in islice(reversed(recent), 1, 3)]
        if look.change < _STANDS_OUT * sum(before) / len(before):
            return False
        seen_before = islice(reversed(recent), 2, None)
        lately = (each for each in seen_before if each.time >= look.time - self._shortest)
        return all(_distance(look.luma, each.luma) > _RETURNED * look.change for each in lately)


def _distance(one: Picture, other: Picture) -> float:
    return cv2.norm(one, other, cv2.NORM_L1) / one.size


def _picture(of: Frame | Picture | None) -> Picture:
    assert of is not None, "a change has a frame before it"
    return of.small_bgr if isinstance(of, Frame) else of
