"""The contents that a language model reads first: as finely as there is room, and never more than that."""

from __future__ import annotations

import pytest
from helpers.libraries import SETTINGS

from longtake.agent.gathering.briefing import contents
from longtake.config import load
from longtake.memory.library import VideoRecord
from longtake.preprocess.layers.sections import sections_of
from longtake.preprocess.layers.segments import segments_of
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle


def lines(workspace: Workspace, video: VideoRecord, settings: Settings = SETTINGS, copies: int = 1) -> tuple[str, ...]:
    handles = {f"{video.id}{number}": VideoHandle(video, workspace.library) for number in range(copies)}
    return contents(ToolContext(handles, workspace.engines, workspace.index, settings, Budget(60)))


@pytest.mark.parametrize(("tokens", "level"), [(1_500, "segments"), (700, "sections"), (1, "nothing")])
def test_the_finest_level_that_fits_is_shown(demo_workspace: Workspace, tokens: int, level: str) -> None:
    (video,) = demo_workspace.library.videos()
    settings = load(overrides=(f"gathering.tokens={tokens}",))
    found = lines(demo_workspace, video, settings)
    parts = [line for line in found if line.startswith("[")]
    counts = {
        "segments": len(segments_of(demo_workspace.library, video)),
        "sections": len(sections_of(demo_workspace.library, video)),
        "nothing": 0,
    }
    assert len(parts) == counts[level]
    assert sum(map(len, found)) <= 2.4 * tokens
    assert any("What the storm broke" in line for line in parts) or level == "nothing"


def test_who_is_in_it_stands_below_and_several_videos_share_the_room(demo_workspace: Workspace) -> None:
    (video,) = demo_workspace.library.videos()
    assert "Edith Marlow" in lines(demo_workspace, video)[-1]
    several = lines(demo_workspace, video, copies=3)
    assert several.count("demo.mp4:") == 3
    assert sum(map(len, several)) <= 2.4 * 1_000


def test_a_video_that_was_indexed_before_has_none(demo_workspace: Workspace) -> None:
    (video,) = demo_workspace.library.videos()
    assert lines(demo_workspace, video.model_copy(update={"layers": {}})) == ()
