"""The file a video was read from, as its first layer and the file itself tell of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from longtake.memory.library import Library, VideoRecord
from longtake.preprocess.media.sources import media_of
from longtake.preprocess.pipeline.workspace import Workspace


@pytest.fixture
def copied(small_workspace: Workspace, tmp_path: Path) -> tuple[Library, VideoRecord, Path]:
    """A library, its video, and the items of the video's first layer."""
    library = Library(Path(shutil.copytree(small_workspace.library.root, tmp_path / "copy")))
    video = library.resolve("talk.mp4")
    layer = library.layer(video, "probe")
    assert layer is not None
    return library, video, layer.path / "items.jsonl"


@pytest.mark.parametrize("damage", ["{broken\n", "", '{"duration": "long"}\n', "3\n"])
def test_of_a_video_whose_first_layer_is_damaged_the_file_tells(
    copied: tuple[Library, VideoRecord, Path], damage: str
) -> None:
    library, video, items = copied
    whole = media_of(library, video)
    items.write_text(damage, encoding="utf-8")
    assert whole is not None
    assert media_of(library, video) == whole
    assert media_of(library, video.model_copy(update={"path": "nowhere.mp4"})) is None


def test_of_a_video_whose_file_is_gone_the_first_layer_tells(copied: tuple[Library, VideoRecord, Path]) -> None:
    library, video, _ = copied
    whole = media_of(library, video)
    assert whole is not None
    assert media_of(library, video.model_copy(update={"path": "nowhere.mp4"})) == whole
