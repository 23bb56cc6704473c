"""Grounded: only the spans that show the answer, as an oracle of temporal grounding would find them."""

from __future__ import annotations

from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import sampled
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.views.standard import Standard
from longtake.evalharness.views.view import FrameView, Shown, media_of
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace


class Grounded(FrameView):
    """Show the frames of the item's spans at the rate of the standard view, with their times."""

    name: ClassVar[str] = "grounded"
    sampling = Standard.sampling

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames."""
        clip = item.clip
        spans = item.turns[0].evidence
        if clip:
            spans = tuple(
                TimeSpan(start=max(span.start, clip.start), end=min(span.end, clip.end))
                for span in spans
                if span.overlaps(clip)
            )
        if not spans:
            raise NothingToShow(f"{item.id} doesn't say which part of the video shows its answer.")
        return Shown(sampled(media_of(item), self.sampling, long_side, spans))
