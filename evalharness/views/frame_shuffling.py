"""Frame shuffling: 128 frames spread over the video, in random order."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import Sampling
from longtake.evalharness.views.view import FrameView, Shown, frames_of
from longtake.preprocess.pipeline.workspace import Workspace


class FrameShuffling(FrameView):
    """Shuffle what is sampled, not a part of the file. The released code sets no seed; here item and seed do."""

    name: ClassVar[str] = "frame-shuffling"
    sampling = Sampling(128)

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames without their times."""
        frames = frames_of(item, self.sampling, long_side)
        return Shown(tuple(Random(f"{item.id}/{seed}").sample(frames, len(frames))), timed=False)
