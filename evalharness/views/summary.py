"""Summary: captions of eight equal parts of the video, in order, instead of the video."""

from __future__ import annotations

from typing import ClassVar

from longtake.errors import MediaError
from longtake.evalharness.items import Item
from longtake.evalharness.subjects.transcript import Line, Transcript
from longtake.evalharness.views.view import Shown, View, media_of
from longtake.memory.timespan import clock
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import VideoHandle

PARTS = 8


class Summary(View):
    """Show one caption for each part: the paper captions 16 frames of each, here the layer `captions` does."""

    name: ClassVar[str] = "summary"

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The first caption of each part."""
        video = VideoHandle(workspace.add(media_of(item)).video, workspace.library)
        captions = video.items("captions")
        if not captions:
            raise MediaError(f"{item.video} has no captions. Set up a model that sees: longtake setup.")
        length = video.record.duration / PARTS
        first = {min(PARTS - 1, int(each["start"] / length)): each for each in reversed(captions)}
        lines = [Line(clock(first[part]["start"]), first[part]["text"]) for part in sorted(first)]
        return Shown(words=Transcript(tuple(lines), 0))
