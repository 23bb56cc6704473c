"""A view of an item: its frames and words, as a model gets them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

from longtake.evalharness.items import Item
from longtake.evalharness.subjects.sampled_frames import Sampling, sampled
from longtake.evalharness.subjects.subject import NothingToShow
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.engines.endpoints.caption_engine import TimedJpeg
from longtake.preprocess.layers.speaker_lines import words_said
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import VideoHandle


class TranscriptLine(NamedTuple):
    """A line of speech and its time as `HH:MM:SS`."""

    time: str
    text: str


class Transcript(NamedTuple):
    """The lines in order, from the first on, and how many more there are."""

    lines: tuple[TranscriptLine, ...]
    left_out: int


def read_transcript(workspace: Workspace, path: Path, most: int, clip: TimeSpan | None = None) -> Transcript:
    """The first track of a video's subtitles, and its recognised speech where they have none. Empty without either.

    The video is indexed if necessary. Lines beyond so many characters are left out, and so is what isn't in the clip.

    Raises:
        LongtakeError: if the video cannot be indexed.
    """
    video = VideoHandle(workspace.add(path).video, workspace.library)
    items = words_said(video.items)
    if clip:
        items = [item for item in items if clip.overlaps(TimeSpan(start=item["start"], end=item["end"]))]
    lines: list[TranscriptLine] = []
    room = most
    for item in items:
        line = TranscriptLine(clock(item["start"]), " ".join(item["text"].split()))
        room -= len(line.time) + len(line.text)
        if room < 0:
            break
        lines.append(line)
    return Transcript(tuple(lines), len(items) - len(lines))


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown. Without `timed`, the frames come without their times and in any order."""

    frames: tuple[TimedJpeg, ...] = ()
    words: Transcript | None = None
    captions: tuple[str, ...] = ()  # of equal parts of the video, in order
    timed: bool = True


class View(ABC):
    """One view. Equal items and seeds are shown the same."""

    name: ClassVar[str]
    speaks: ClassVar[bool] = False  # whether the words that are said are shown, for which a video is indexed

    @abstractmethod
    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """What is shown of an item; of one about a clip, nothing but the clip.

        The workspace's library indexes videos for transcripts and keeps captions; `long_side` is pixels of the frames.

        Raises:
            LongtakeError: if it can't be shown. The harness records an error.
        """

    def pictures(self, item: Item) -> int:
        """How many pictures are shown of an item, about."""
        return 0


class FrameView(View):
    """A view of frames taken evenly over the video, or at a rate."""

    sampling: ClassVar[Sampling]
    timed: ClassVar[bool] = True

    def show(self, item: Item, workspace: Workspace, long_side: int, seed: int) -> Shown:
        """The frames, with their times if they are `timed`."""
        return Shown(frames_of(item, self.sampling, long_side), timed=self.timed)

    def pictures(self, item: Item) -> int:
        """See `View`."""
        return self.sampling.expected(item.seconds)


def media_of(item: Item) -> Path:
    """The file of an item.

    Raises:
        NothingToShow: if it is missing.
    """
    if item.media is None:
        raise NothingToShow(f"The video of {item.id} is missing. Name its folder with --media.")
    return Path(item.media)


def frames_of(item: Item, sampling: Sampling, long_side: int) -> tuple[TimedJpeg, ...]:
    """Frames of the whole video, or of the clip that the item is about, with their times in the video."""
    return sampled(media_of(item), sampling, long_side, (item.clip,) if item.clip else ())
