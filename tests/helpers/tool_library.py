"""A small library of two real videos, indexed once for all tests of the tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.media.clips import flat, write_clip, written

from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

CUES = """WEBVTT

00:00:01.000 --> 00:00:03.000
The copper kettle costs forty dollars.

00:00:04.000 --> 00:00:06.000
A heron stands in the river.
"""


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """`talk.mp4`, 8 s with a slide, a tone and subtitles, and `mute.mp4`, 2 s of plain picture."""
    folder = tmp_path_factory.mktemp("videos")
    slide = written(flat((90, 40, 20), 640, 360), "KETTLE 249", (80, 180), 2.0)
    write_clip(folder / "talk.mp4", [slide] * 200, sound_seconds=8)
    (folder / "talk.vtt").write_text(CUES)
    write_clip(folder / "mute.mp4", [flat((200, 200, 200), 640, 360)] * 50)
    workspace = Workspace(tmp_path_factory.mktemp("library"), load(overrides=(f"tools.timeout={_PATIENT}",)))
    for name in ("talk.mp4", "mute.mp4"):
        assert workspace.add(folder / name).complete
    return workspace


_PATIENT = 600.0  # seconds: a busy machine may take a minute to import what a model needs
Opener = Callable[..., ToolContext]


@pytest.fixture
def opened(workspace: Workspace) -> Opener:
    """Opens videos of the library by name."""

    def open_videos(*names: str, settings: Settings | None = None, seconds: float = _PATIENT) -> ToolContext:
        records = [workspace.library.resolve(name) for name in names]
        handles = {record.id: VideoHandle(record, workspace.library) for record in records}
        return ToolContext(handles, workspace.engines, workspace.index, settings or workspace.settings, Budget(seconds))

    return open_videos


@pytest.fixture
def talk(opened: Opener) -> ToolContext:
    return opened("talk")


@pytest.fixture
def both(opened: Opener) -> ToolContext:
    return opened("talk", "mute")


@pytest.fixture
def toolbox() -> Toolbox:
    return Toolbox(ALL_TOOLS)


@pytest.fixture
def lost(talk: ToolContext, tmp_path: Path) -> ToolContext:
    """`talk` after its file has been moved away."""
    [(key, handle)] = talk.videos.items()
    record = handle.record.model_copy(update={"path": str(tmp_path / "gone.mp4")})
    return replace(talk, videos={key: VideoHandle(record, handle.library)})
