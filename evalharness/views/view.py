"""A view of an item: its frames and words, as a model gets them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import Sampling, sampled
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.evalharness.subjects.transcript import Transcript
from longtake.preprocess.engines.endpoints.visual_question import TimedJpeg
from longtake.preprocess.pipeline.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown. Without `timed`, the frames come without their times and in any order."""

    frames: tuple[TimedJpeg, ...] = ()
    words: Transcript | None = None
    timed: bool = True


class View(ABC):
    """One view. Equal items and seeds are shown the same."""

    name: ClassVar[str]

    @abstractmethod
    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """What is shown of an item.

        Args:
            item: with its video.
            workspace: its library indexes videos for transcripts and captions.
            long_side: pixels of the frames.
            seed: of what is drawn at random.

        Raises:
            LongtakeError: if it can't be shown. The harness records an error.
        """


def media_of(item: Item) -> Path:
    """The file of an item.

    Raises:
        NothingToShow: if it is missing.
    """
    if item.media is None:
        raise NothingToShow(f"The video of {item.id} is missing. Name its folder with --media.")
    return Path(item.media)


def frames_of(item: Item, sampling: Sampling, long_side: int) -> tuple[TimedJpeg, ...]:
    """Frames of the whole video."""
    return sampled(media_of(item), sampling, long_side)
