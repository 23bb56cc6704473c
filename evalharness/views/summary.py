"""Summary: captions of eight equal parts of the video, in order, instead of the video."""

from __future__ import annotations

from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.views.part_captions import PartCaptions
from longtake.evalharness.views.view import Shown, View
from longtake.preprocess.pipeline.workspace import Workspace


class Summary(View):
    """Show the captions. The paper's captioner is CARE; here it is the model of the profile's captions."""

    name: ClassVar[str] = "summary"

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """One caption for each part."""
        return Shown(captions=PartCaptions(workspace).of(item))
