"""Libraries with indexed videos, made once for all tests of a run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from filelock import FileLock
from helpers.small_video import write_small_video

from longtake.agent.ask import Asker
from longtake.config import load
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.workspace import Workspace


def _of_the_run(factory: pytest.TempPathFactory) -> Path:
    """A folder that the processes of one parallel run share, and no other run."""
    own = factory.getbasetemp()
    return own.parent if own.name.startswith("popen-") else own


@pytest.fixture(scope="session")
def demo_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The demo video, indexed; the processes of a parallel run share it."""
    shared = _of_the_run(tmp_path_factory) / "demo-library"
    workspace = Workspace(shared, load())
    with FileLock(str(shared) + ".lock"):
        workspace.add(make_demo(shared / "demo"))
    return workspace


@pytest.fixture(scope="session")
def demo_video(demo_workspace: Workspace) -> Path:
    """The demo video's file."""
    return demo_workspace.library.root / "demo" / "demo.mp4"


@pytest.fixture(scope="session")
def demo_asker(demo_workspace: Workspace) -> Asker:
    """Asks the demo video."""
    return Asker(demo_workspace)


@pytest.fixture(scope="session")
def small_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A library that holds the small video, of which `small_video` says what it holds."""
    shared = _of_the_run(tmp_path_factory) / "small-library"
    workspace = Workspace(shared, load())
    with FileLock(str(shared) + ".lock"):
        if not (shared / "talk.mp4").exists():
            write_small_video(shared / "talk.mp4")
        workspace.add(shared / "talk.mp4")
    return workspace


@pytest.fixture
def own_workspace(small_workspace: Workspace, tmp_path: Path) -> Workspace:
    """The library of the small video, which nobody else writes to.

    Its memory is not copied: closing a file of SQLite's, as copying and reading do, gives up the locks of this process.
    """
    left = shutil.ignore_patterns("memory.sqlite*", "traces", "locks")
    return Workspace(Path(shutil.copytree(small_workspace.library.root, tmp_path / "own", ignore=left)), load())
