"""Bag of frames: one frame a second, at most 2048, for subjects that compare each frame by itself with the texts."""

from __future__ import annotations

from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES
from longtake.evalharness.subjects.sampled_frames import Sampling
from longtake.evalharness.views.view import FrameView, Shown, frames_of
from longtake.preprocess.pipeline.workspace import Workspace


class BagOfFrames(FrameView):
    """Show the frames without their times."""

    name: ClassVar[str] = BAG_OF_FRAMES
    sampling = Sampling(2048, 1.0)

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames."""
        return Shown(frames_of(item, self.sampling, long_side), timed=False)
