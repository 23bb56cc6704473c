"""The transcript of a video for a model at an endpoint: the agent's own words, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.layers.speaker_lines import words_said
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import VideoHandle


class Line(NamedTuple):
    """A line of speech and its time as `HH:MM:SS`."""

    time: str
    text: str


class Transcript(NamedTuple):
    """The lines in order, from the first on, and how many more there are."""

    lines: tuple[Line, ...]
    left_out: int


def read_transcript(workspace: Workspace, path: Path, most: int, clip: TimeSpan | None = None) -> Transcript:
    """The first track of a video's subtitles, and its recognised speech where they have none. Empty without either.

    Args:
        workspace: its library has the video, which is indexed if necessary.
        path: of the video.
        most: characters; the lines that go beyond are left out.
        clip: only what is said in it.

    Raises:
        LongtakeError: if the video cannot be indexed.
    """
    video = VideoHandle(workspace.add(path).video, workspace.library)
    items = words_said(video.items)
    if clip:
        items = [item for item in items if clip.overlaps(TimeSpan(start=item["start"], end=item["end"]))]
    lines: list[Line] = []
    room = most
    for item in items:
        line = Line(clock(item["start"]), " ".join(item["text"].split()))
        room -= len(line.time) + len(line.text)
        if room < 0:
            break
        lines.append(line)
    return Transcript(tuple(lines), len(items) - len(lines))
