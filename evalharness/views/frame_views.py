"""The views of Video-Oasis that show frames and nothing else: one, all evenly, out of order, of some spans, or chosen.

The choice is that of Adaptive Keyframe Sampling (Tang et al., CVPR 2025), which Video-Oasis takes for temporal
grounding. One frame a second is compared with the question, and the scores are scaled to 0 to 1. Where the best
sixteen of a stretch are more than 0.8 better than its mean, the best are taken from it alone; otherwise it is halved,
and so is the number of frames that each half gives, so that all of the video is covered. The released code halves up
to five times, which leaves none of sixteen frames for a stretch; here four halvings leave one. Its scores are those of
BLIP; here they are cosines of the profile's image-text encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

import cv2
import numpy as np
import numpy.typing as npt

from longtake.errors import EngineUnavailable
from longtake.evalharness.items import Item
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES
from longtake.evalharness.subjects.sampled_frames import Sampling, sampled
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.views.view import FrameView, Shown, View, frames_of, media_of
from longtake.memory.search.search_types import Vectors
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.engines.endpoints.caption_engine import TimedJpeg
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.media.frames import Picture
from longtake.preprocess.pipeline.workspace import Workspace

CHUNKS, FRAMES = 8, 16
KEYFRAMES = 16
_CANDIDATES = Sampling(2048, 1.0)
_PEAK = 0.8  # by which the best frames of a stretch must be better than its mean
_HALVINGS = 4
_BATCH = 64


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


class BagOfFramesView(FrameView):
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


class Uniform(FrameView):
    """Show as many frames as `KeyframeView`, spread evenly."""

    name: ClassVar[str] = "uniform"
    sampling = Sampling(KEYFRAMES)


class KeyframeView(FrameView):
    """Show the frames that are chosen for the question."""

    name: ClassVar[str] = "keyframes"
    sampling = Sampling(KEYFRAMES)

    def __init__(self) -> None:
        # Items of one video are asked one after the other.
        self._held: tuple[tuple[str, str | None, TimeSpan | None], Vectors] | None = None

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames with their times."""
        frames = frames_of(item, _CANDIDATES, long_side)
        try:
            encoder: ImageTextEmbedding = workspace.engines.load("image_text_embedding")
        except EngineUnavailable as error:
            raise NothingToShow(f"Keyframes are chosen by an image-text encoder. {error}") from error
        shown_of = encoder.id, item.media, item.clip
        if self._held is None or self._held[0] != shown_of:
            self._held = shown_of, frame_vectors(encoder, frames)
        (question,) = encoder.embed_texts([item.turns[0].question])
        return Shown(tuple(frames[place] for place in keyframes(self._held[1] @ question)))


def keyframes(scores: npt.NDArray[np.float32]) -> list[int]:
    """The places of the chosen frames, in order; all of them if there are no more than sixteen.

    The scores, (frames,), say how near each frame is to the question.
    """
    if len(scores) <= KEYFRAMES:
        return list(range(len(scores)))
    spread = float(scores.max() - scores.min())
    scaled = (scores - scores.min()) / spread if spread else np.zeros_like(scores)

    def chosen(start: int, end: int, halvings: int) -> list[int]:
        stretch = scaled[start:end]
        best = np.argsort(-stretch, kind="stable")
        if halvings < _HALVINGS and stretch[best[:KEYFRAMES]].mean() - stretch.mean() <= _PEAK:
            middle = (start + end) // 2
            return chosen(start, middle, halvings + 1) + chosen(middle, end, halvings + 1)
        return sorted(start + int(place) for place in best[: KEYFRAMES >> halvings])

    return chosen(0, len(scores), 0)


def frame_vectors(encoder: ImageTextEmbedding, frames: Sequence[TimedJpeg]) -> Vectors:
    """One row of length 1 for each frame: (frames, dimensions).

    Raises:
        EngineError: if the model can't be loaded.
    """
    batches = (frames[start : start + _BATCH] for start in range(0, len(frames), _BATCH))
    return np.concatenate([encoder.embed_images([_picture(frame) for frame in batch]) for batch in batches])


def _picture(frame: TimedJpeg) -> Picture:
    return np.asarray(cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
