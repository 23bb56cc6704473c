"""Standard: one frame a second, at most 128: what the tests are compared with."""

from __future__ import annotations

from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import Sampling
from longtake.evalharness.views.view import FrameView, Shown, frames_of
from longtake.preprocess.pipeline.workspace import Workspace


class Standard(FrameView):
    """Show the frames of the whole video, with their times."""

    name: ClassVar[str] = "standard"
    sampling = Sampling(128, 1.0)

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames."""
        return Shown(frames_of(item, self.sampling, long_side))
