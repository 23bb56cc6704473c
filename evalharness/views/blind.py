"""Blind: nothing but the question and its options."""

from __future__ import annotations

from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.views.view import Shown, View
from longtake.preprocess.pipeline.workspace import Workspace


class Blind(View):
    """Show nothing."""

    name: ClassVar[str] = "blind"

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """Nothing."""
        return Shown()
