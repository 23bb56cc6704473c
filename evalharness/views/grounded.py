"""Grounded: only the spans that show the answer, as an oracle of temporal grounding would find them."""

from __future__ import annotations

from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import Sampling, sampled
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.views.standard import FPS, FRAMES
from longtake.evalharness.views.view import Shown, View, media_of
from longtake.preprocess.pipeline.workspace import Workspace


class Grounded(View):
    """Show the frames of the item's spans at the rate of the standard view, with their times."""

    name: ClassVar[str] = "grounded"

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames."""
        spans = item.turns[0].evidence
        if not spans:
            raise NothingToShow(f"{item.id} doesn't say which part of the video shows its answer.")
        return Shown(sampled(media_of(item), Sampling(FRAMES, FPS), long_side, spans))
