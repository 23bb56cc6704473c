"""From a file to layers and the index: only what is missing is built, and what fails does not stop the rest."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.small_video import write_small_video

from longtake.config import load
from longtake.errors import Cancelled
from longtake.memory.index import SearchFilter
from longtake.memory.library import LAYERS
from longtake.preprocess.pipeline import IndexReport, Watcher
from longtake.preprocess.retrieval import retrieve
from longtake.preprocess.workspace import Workspace

EMBEDDED = load()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small video with its subtitles, in a folder of its own."""
    return write_small_video(tmp_path_factory.mktemp("original") / "talk.mp4")


@pytest.fixture
def video(original: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    shutil.copytree(original.parent, tmp_path / "media")
    return tmp_path / "media" / original.name


def built(report: IndexReport) -> set[str]:
    """The layers that were not there before."""
    return {layer.name for layer in report.layers if layer.key and not layer.reused}


def layer_bytes(root: Path) -> dict[str, bytes]:
    files = (file for file in root.glob("videos/*/layers/*/*/**/*") if file.is_file())
    return {str(file.relative_to(root)): file.read_bytes() for file in files}


def test_a_video_gives_every_layer_and_can_be_searched(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    report = workspace.add(video)
    assert report.complete
    assert built(report) == set(LAYERS)
    assert not [layer for layer in report.layers if layer.problem]
    hits = retrieve("kettle", SearchFilter((report.video.id,)), 5, workspace.engines, workspace.index)
    assert hits
    assert workspace.library.coverage(report.video)["scene_text"] == pytest.approx(1.0, abs=0.02)


def test_the_same_file_gives_the_same_bytes_in_another_library(video: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        Workspace(tmp_path / name, EMBEDDED).add(video)
    one = layer_bytes(tmp_path / "one")
    assert len(one) > 2 * len(LAYERS)
    assert one == layer_bytes(tmp_path / "two")


def test_a_file_seen_before_is_only_completed(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    workspace.add(video)
    assert built(workspace.add(video)) == set()
    moved = video.rename(video.with_name("moved.mp4"))
    video.with_suffix(".vtt").rename(moved.with_suffix(".vtt"))
    assert built(workspace.add(moved)) == set()
    assert [record.name for record in workspace.library.videos()] == ["moved.mp4"]


def test_another_setting_rebuilds_its_layer_and_what_rests_on_it(video: Path, tmp_path: Path) -> None:
    Workspace(tmp_path / "library", EMBEDDED).add(video)
    changed = load("embedded", ["scene_text.min_confidence=0.9"])
    assert built(Workspace(tmp_path / "library", changed).add(video)) == {"scene_text", "text_vectors"}


def test_a_malformed_subtitle_file_is_reported_and_the_rest_goes_on(video: Path, tmp_path: Path) -> None:
    for sidecar in video.parent.glob("*.vtt"):
        sidecar.unlink()
    video.with_suffix(".srt").write_text("1\nnot a time --> at all\nhello\n")
    report = Workspace(tmp_path / "library", EMBEDDED).add(video)
    problems = {layer.name: layer.problem for layer in report.layers if layer.problem}
    assert set(problems) == {"subtitles"}
    assert "line 2" in str(problems["subtitles"])
    assert built(report) == set(LAYERS) - {"subtitles"}


def test_stopping_keeps_what_is_finished_and_makes_it_findable(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    watcher = Watcher()

    def stop_after_subtitles() -> None:
        if any(layer.name == "subtitles" for layer in watcher.reports):
            raise Cancelled("stopped")

    watcher.check_cancelled = stop_after_subtitles
    report = workspace.add(video, watcher)
    assert not report.complete
    assert built(report) == {"probe", "subtitles", "text_vectors"}
    assert retrieve("kettle", SearchFilter(), 5, workspace.engines, workspace.index)
    assert not list((tmp_path / "library").glob("videos/*/layers/*/.*"))
    assert workspace.add(video).complete


def test_an_index_that_was_deleted_is_built_again_from_the_layers(video: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "longtake", "--library", str(tmp_path / "library"), "index", str(video)]
    subprocess.run(command, check=True, capture_output=True)
    shutil.rmtree(tmp_path / "library" / "index")
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    assert built(workspace.add(video)) == set()
    assert retrieve("kettle", SearchFilter(), 5, workspace.engines, workspace.index)


def test_stopping_at_once_takes_nothing_from_a_video_that_is_there(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    whole = workspace.add(video)

    def stop() -> None:
        raise Cancelled("stopped")

    report = workspace.add(video, Watcher(check_cancelled=stop))
    assert not report.complete
    assert report.video.layers == whole.video.layers
    assert retrieve("kettle", SearchFilter(), 5, workspace.engines, workspace.index)


def test_each_video_finds_its_way_back_into_a_new_index(video: Path, tmp_path: Path) -> None:
    other = video.with_name("other.mp4")
    other.write_bytes(video.read_bytes() + b"\0")
    other.with_suffix(".vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nA lantern.\n")
    command = [
        sys.executable,
        "-m",
        "longtake",
        "--library",
        str(tmp_path / "library"),
        "index",
        str(video),
        str(other),
    ]
    subprocess.run(command, check=True, capture_output=True)
    shutil.rmtree(tmp_path / "library" / "index")
    subprocess.run(command, check=True, capture_output=True)
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    for word in ("kettle", "lantern"):
        assert retrieve(word, SearchFilter(), 5, workspace.engines, workspace.index)


def test_without_an_embedding_words_are_found(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load("embedded", ["engines.text_embedding=[]"]))
    report = workspace.add(video)
    assert {layer.name for layer in report.layers if layer.problem} == {"text_vectors"}
    assert retrieve("kettle", SearchFilter(), 5, workspace.engines, workspace.index)


def test_an_engine_that_crashes_costs_only_its_own_layer(
    video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ValueError("no such tensor")

    monkeypatch.setattr("longtake.preprocess.engines.spectral_sounds.SpectralSounds.detect", crash)
    report = Workspace(tmp_path / "library", EMBEDDED).add(video)
    problems = {layer.name: layer.problem for layer in report.layers if layer.problem}
    assert set(problems) == {"sounds"}
    assert "ValueError: no such tensor" in str(problems["sounds"])
    assert built(report) == set(LAYERS) - {"sounds"}
