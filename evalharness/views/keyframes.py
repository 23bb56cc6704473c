"""Keyframes: sixteen frames that are chosen for the question, and sixteen spread evenly to compare them with.

The choice is that of Adaptive Keyframe Sampling (Tang et al., CVPR 2025), which Video-Oasis takes for temporal
grounding. One frame a second is compared with the question, and the scores are scaled to 0 to 1. Where the best
sixteen of a stretch are more than 0.8 better than its mean, the best are taken from it alone; otherwise it is halved,
and so is the number of frames that each half gives, so that all of the video is covered. The released code halves up
to five times, which leaves none of sixteen frames for a stretch; here four halvings leave one. Its scores are those of
BLIP; here they are cosines of the profile's image-text encoder.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from longtake.errors import EngineUnavailable
from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import Sampling
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.views.frame_vectors import frame_vectors
from longtake.evalharness.views.view import FrameView, Shown, frames_of
from longtake.memory.search.search_index import Vectors
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.pipeline.workspace import Workspace

FRAMES = 16
_CANDIDATES = Sampling(2048, 1.0)
_PEAK = 0.8  # by which the best frames of a stretch must be better than its mean
_HALVINGS = 4


class Uniform(FrameView):
    """Show as many frames as `Keyframes`, spread evenly."""

    name: ClassVar[str] = "uniform"
    sampling = Sampling(FRAMES)


class Keyframes(FrameView):
    """Show the frames that are chosen for the question."""

    name: ClassVar[str] = "keyframes"
    sampling = Sampling(FRAMES)

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

    Args:
        scores: of each frame, (frames,): how near it is to the question.
    """
    if len(scores) <= FRAMES:
        return list(range(len(scores)))
    spread = float(scores.max() - scores.min())
    scaled = (scores - scores.min()) / spread if spread else np.zeros_like(scores)

    def chosen(start: int, end: int, halvings: int) -> list[int]:
        stretch = scaled[start:end]
        best = np.argsort(-stretch, kind="stable")
        if halvings < _HALVINGS and stretch[best[:FRAMES]].mean() - stretch.mean() <= _PEAK:
            middle = (start + end) // 2
            return chosen(start, middle, halvings + 1) + chosen(middle, end, halvings + 1)
        return sorted(start + int(place) for place in best[: FRAMES >> halvings])

    return chosen(0, len(scores), 0)
