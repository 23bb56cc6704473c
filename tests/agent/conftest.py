"""A browser for the pages of the agent, and a library of two videos."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from helpers.browser import chromium
from helpers.small_video import write_small_video

from longtake.config import load
from longtake.preprocess.workspace import Workspace


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def two_videos(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The small video, and another in which the kettle costs 99 dollars."""
    root = tmp_path_factory.mktemp("two")
    workspace = Workspace(root / "library", load())
    talk, trip = (write_small_video(root / name) for name in ("talk.mp4", "my trip.mp4"))
    # A byte that no player reads makes another file of it.
    trip.write_bytes(trip.read_bytes() + b"\0")
    subtitles = trip.with_suffix(".vtt")
    subtitles.write_text(subtitles.read_text(encoding="utf-8").replace("249", "99"), encoding="utf-8")
    for video in (talk, trip):
        workspace.add(video)
    return workspace
