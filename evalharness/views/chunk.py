"""Chunks: one of eight equal parts of the video, for the test of redundancy."""

from __future__ import annotations

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import Sampling
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.views.view import Shown, View, frames_of
from longtake.preprocess.engines.endpoints.visual_question import TimedJpeg
from longtake.preprocess.pipeline.workspace import Workspace

CHUNKS, FRAMES = 8, 16


class Chunk(View):
    """Show sixteen frames of part `number`, from 1."""

    def __init__(self, number: int) -> None:
        self.number = number

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames of the part."""
        return Shown(part_frames(item, self.number, long_side))

    def pictures(self, seconds: float | None) -> int:
        """See `View`."""
        return FRAMES


def part_frames(item: Item, number: int, long_side: int) -> tuple[TimedJpeg, ...]:
    """The frames of part `number`, from 1: 128 are spread evenly over the video, and each part has the next sixteen.

    Raises:
        NothingToShow: if the video is missing, or has fewer frames than parts.
    """
    frames = frames_of(item, Sampling(CHUNKS * FRAMES), long_side)
    part = frames[len(frames) * (number - 1) // CHUNKS : len(frames) * number // CHUNKS]
    if not part:
        raise NothingToShow(f"Part {number} of {item.video} shows no frame.")
    return part
