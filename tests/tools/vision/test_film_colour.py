"""Whether a recording is in colour, on clips that are, are not, or show a single hue."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.clips import Picture, noise, write_clip

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.vision.inspect_motion import film_colour


def grey(picture: Picture) -> Picture:
    return np.repeat(picture.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)


def sepia(picture: Picture) -> Picture:
    return (grey(picture) * np.array([0.55, 0.75, 0.95])).astype(np.uint8)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("pictures", "reported"),
    [
        ([noise(1), noise(2)], "in colour: 2 of 2 pictures, evenly spread, have colour"),
        ([grey(noise(1)), noise(2)], "some in colour: 1 of 2 pictures, evenly spread, have colour"),
        ([grey(noise(1))] * 23 + [noise(2)], "some in colour: 1 of 24 pictures, evenly spread, have colour"),
        ([grey(noise(1))] + [noise(2)] * 9, "in colour: 9 of 10 pictures, evenly spread, have colour"),
        ([grey(noise(1)), grey(noise(2))], "black and white: none of 2 pictures, evenly spread, has colour"),
        ([sepia(noise(1)), sepia(noise(2))], None),
        ([np.zeros((180, 320, 3), np.uint8)] * 2, None),
    ],
    ids=["colour", "half", "a logo", "a title", "grey", "sepia", "black"],
)
def test_colour_is_reported_for_what_shows_something(
    tmp_path: Path, pictures: list[Picture], reported: str | None
) -> None:
    clip = write_clip(tmp_path / "clip.mp4", [picture for picture in pictures for _ in range(25)])
    workspace = Workspace(tmp_path / "library", Settings())
    video = workspace.add(clip).video
    handles = {video.id: VideoHandle(video, workspace.library)}
    context = ToolContext(handles, EngineTable(Settings()), workspace.index, Settings(), Budget(60.0))
    span = TimeSpan(start=0.0, end=video.duration)
    found = film_colour(context, span)
    assert (found.text if found else None) == reported
    assert found is None or found.span == span
