"""The file a video was read from, as its first layer and the file itself tell of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers.media.odd_files import cut_short, index_first

from longtake.config import load
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.preprocess.media.sources import contents_now, contents_of, media_of
from longtake.preprocess.pipeline.workspace import Workspace


@pytest.fixture
def copied(small_workspace: Workspace, tmp_path: Path) -> tuple[LibraryStore, VideoRecord, Path]:
    """A library, its video, and the items of the video's first layer."""
    library = LibraryStore(Path(shutil.copytree(small_workspace.library.root, tmp_path / "copy")))
    video = library.resolve("talk.mp4")
    layer = library.layer(video, "probe")
    assert layer is not None
    return library, video, layer.path / "items.jsonl"


@pytest.mark.parametrize("damage", ["{broken\n", "", '{"duration": "long"}\n', "3\n"])
def test_of_a_video_whose_first_layer_is_damaged_the_file_tells(
    copied: tuple[LibraryStore, VideoRecord, Path], damage: str
) -> None:
    library, video, items = copied
    whole = media_of(library, video)
    items.write_text(damage, encoding="utf-8")
    assert whole is not None
    assert media_of(library, video) == whole
    assert media_of(library, video.model_copy(update={"path": "nowhere.mp4"})) is None


def test_of_a_video_whose_file_is_gone_the_first_layer_tells(copied: tuple[LibraryStore, VideoRecord, Path]) -> None:
    library, video, _ = copied
    whole = media_of(library, video)
    assert whole is not None
    assert media_of(library, video.model_copy(update={"path": "nowhere.mp4"})) == whole


def test_a_text_track_that_is_cut_off_is_not_called_read(media: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load(overrides=["engines.speech=[]", "engines.scene_text=[]"]))
    whole = index_first(media / "auto-editor" / "mov_text.mp4", tmp_path / "whole.mp4")
    cut = cut_short(whole, tmp_path / "cut.mp4", 0.4)
    for file, outcome, noted in ((whole, "read", False), (cut, "not read: damaged", True)):
        video = workspace.add(file).video
        for told in (contents_of, contents_now):
            found = told(workspace.library, video, media_of(workspace.library, video))
            [track] = [part for part in found if part.name.startswith("subtitles")]
            assert (track.outcome, track.noted) == (outcome, noted)
