"""Center frame: the one in the middle."""

from __future__ import annotations

from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import Sampling
from longtake.evalharness.views.view import FrameView, Shown, frames_of
from longtake.preprocess.pipeline.workspace import Workspace


class CenterFrame(FrameView):
    """Show frame number `int(n / 2)`."""

    name: ClassVar[str] = "center-frame"
    sampling = Sampling(1)

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """One frame, without its time."""
        return Shown(frames_of(item, self.sampling, long_side), timed=False)
