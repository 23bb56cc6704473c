"""Libraries with indexed videos, made once for all tests of a run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from helpers.media.small_video import write_small_video
from helpers.media.talk_of_topics import TOPICS, write_talk

from longtake.agent.graph.agent import Agent
from longtake.config import load
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.pipeline.workspace import Workspace

# The weights that tell speakers apart come in no extra: with and without them, these libraries are the same.
SETTINGS = load(overrides=["engines.speakers=[]"])


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """The temporary folder that all processes of a parallel run share."""
    own = factory.getbasetemp()
    return own.parent if own.name.startswith("popen-") else own


def _once_for_all(factory: pytest.TempPathFactory, name: str, make: Callable[[Workspace], None]) -> Workspace:
    """A library that one process of a parallel run makes, and that each process copies: nobody writes to another's."""
    made = shared_folder(factory) / f"{name}-as-made"
    with FileLock(f"{made}.lock"):
        if not made.exists():
            make(Workspace(made, SETTINGS))
    return Workspace(Path(shutil.copytree(made, factory.getbasetemp() / name)), SETTINGS)


def copied(workspace: Workspace, to: Path) -> Path:
    """A copy of a library without what other tests have asked, whose files may go while they are copied."""
    return Path(shutil.copytree(workspace.library.root, to, ignore=shutil.ignore_patterns("memory.sqlite*")))


@pytest.fixture(scope="session")
def demo_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The demo video, indexed."""
    return _once_for_all(tmp_path_factory, "demo-library", _add_demo)


def _add_demo(workspace: Workspace) -> None:
    workspace.add(make_demo(workspace.library.root / "demo"))


@pytest.fixture(scope="session")
def demo_video(demo_workspace: Workspace) -> Path:
    """The demo video's file."""
    return demo_workspace.library.root / "demo" / "demo.mp4"


@pytest.fixture(scope="session")
def demo_asker(demo_workspace: Workspace) -> Agent:
    """Asks the demo video."""
    return Agent(demo_workspace)


@pytest.fixture(scope="session")
def small_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A library that holds the small video, of which `small_video` says what it holds."""
    return _once_for_all(tmp_path_factory, "small-library", _add_small_video)


def _add_small_video(workspace: Workspace) -> None:
    video = workspace.library.root / "talk.mp4"
    video.parent.mkdir(parents=True, exist_ok=True)
    write_small_video(video)
    workspace.add(video)


@pytest.fixture
def own_workspace(small_workspace: Workspace, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Workspace:
    """The library of the small video, as it was made: without what other tests found, and nobody else writes to it."""
    made = shared_folder(tmp_path_factory) / "small-library-as-made"
    return Workspace(Path(shutil.copytree(made, tmp_path / "own")), SETTINGS)


@pytest.fixture(scope="module")
def two_videos(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The small video, and another in which the kettle costs 99 dollars."""
    root = tmp_path_factory.mktemp("two")
    workspace = Workspace(root / "library", SETTINGS)
    talk, trip = (write_small_video(root / name) for name in ("talk.mp4", "my trip.mp4"))
    # A byte that no player reads makes another file of it.
    trip.write_bytes(trip.read_bytes() + b"\0")
    subtitles = trip.with_suffix(".vtt")
    subtitles.write_text(subtitles.read_text(encoding="utf-8").replace("249", "99"), encoding="utf-8")
    for video in (talk, trip):
        workspace.add(video)
    return workspace


@pytest.fixture(scope="session")
def topics_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A talk about three things, `topics.wav`, and one about a single thing, `bread.wav`, indexed."""
    return _once_for_all(tmp_path_factory, "topics-library", _add_talks)


def _add_talks(workspace: Workspace) -> None:
    folder = workspace.library.root / "talks"
    folder.mkdir()
    workspace.add(write_talk(folder / "topics.wav", *TOPICS))
    workspace.add(write_talk(folder / "bread.wav", TOPICS[0], TOPICS[0]))
