"""Chunks: one of eight equal parts of the video, for the test of redundancy."""

from __future__ import annotations

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import Sampling
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.views.view import Shown, View, frames_of, media_of
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace

CHUNKS, FRAMES = 8, 16


class Chunk(View):
    """Show sixteen frames of part `number`, from 1."""

    def __init__(self, number: int) -> None:
        self.number = number

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """Every eighth part of the frames sampled over the whole video."""
        frames = frames_of(item, Sampling(CHUNKS * FRAMES), long_side)
        length = probe(media_of(item)).duration / CHUNKS
        start = (self.number - 1) * length
        part = tuple(frame for frame in frames if start <= frame.time < start + length)
        if not part:
            raise NothingToShow(f"Part {self.number} of {item.video} shows no frame.")
        return Shown(part)
