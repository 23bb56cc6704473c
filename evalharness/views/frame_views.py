"""The views of Video-Oasis that show frames and nothing else: one, all evenly, out of order, or those of some spans."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES
from longtake.evalharness.subjects.sampled_frames import Sampling, sampled
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.views.view import FrameView, Shown, View, frames_of, media_of
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.engines.endpoints.visual_question import TimedJpeg
from longtake.preprocess.pipeline.workspace import Workspace

CHUNKS, FRAMES = 8, 16


class Standard(FrameView):
    """One frame a second, at most 128, with their times: what the tests are compared with."""

    name: ClassVar[str] = "standard"
    sampling = Sampling(128, 1.0)


class Blind(View):
    """Nothing but the question and its options."""

    name: ClassVar[str] = "blind"

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """Nothing."""
        return Shown()


class CenterFrame(FrameView):
    """The one frame in the middle, number `int(n / 2)`, without its time."""

    name: ClassVar[str] = "center-frame"
    sampling = Sampling(1)
    timed = False


class FrameShuffling(FrameView):
    """128 frames spread over the video, in random order and without their times.

    What is sampled is shuffled, not a part of the file. The released code sets no seed; here item and seed do.
    """

    name: ClassVar[str] = "frame-shuffling"
    sampling = Sampling(128)

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The shuffled frames."""
        frames = frames_of(item, self.sampling, long_side)
        return Shown(tuple(Random(f"{item.id}/{seed}").sample(frames, len(frames))), timed=False)


class BagOfFrames(FrameView):
    """One frame a second, at most 2048, for subjects that compare each frame by itself with the texts."""

    name: ClassVar[str] = BAG_OF_FRAMES
    sampling = Sampling(2048, 1.0)
    timed = False


class Grounded(FrameView):
    """Only the spans that show the answer, as an oracle of temporal grounding would find them, at the standard rate."""

    name: ClassVar[str] = "grounded"
    sampling = Standard.sampling

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames of the spans, with their times."""
        spans = _grounded(item)
        if not spans:
            raise NothingToShow(f"{item.id} doesn't say which part of the video shows its answer.")
        return Shown(sampled(media_of(item), self.sampling, long_side, spans))

    def pictures(self, item: Item) -> int:
        """See `View`."""
        spans = _grounded(item)
        return self.sampling.expected(sum(span.length for span in spans)) if spans else 0


def _grounded(item: Item) -> tuple[TimeSpan, ...]:
    """The spans that show the answer, within the clip that the item is about; in order, and none overlaps another."""
    spans, clip = item.turns[0].evidence, item.clip
    if clip:
        spans = tuple(
            TimeSpan(start=max(span.start, clip.start), end=min(span.end, clip.end))
            for span in spans
            if span.overlaps(clip)
        )
    return joined(spans)


class Chunk(View):
    """Sixteen frames of one of eight equal parts of the video, for the test of redundancy."""

    def __init__(self, number: int) -> None:
        """Show part `number`, from 1."""
        self.number = number

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames of the part."""
        return Shown(part_frames(item, self.number, long_side))

    def pictures(self, item: Item) -> int:
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
