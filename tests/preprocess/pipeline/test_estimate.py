"""`ask --estimate`: what a question will take, told from what indexing took in this library."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.media.clips import flat, write_clip
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.errors import LongtakeError
from longtake.preprocess.pipeline.estimate import estimate, show_estimate
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings


def test_a_video_that_is_indexed_costs_nothing_more_and_one_like_it_what_it_cost(tmp_path: Path) -> None:
    first = write_clip(tmp_path / "first.mp4", [flat((90, 60, 30))] * 50)
    longer = write_clip(tmp_path / "longer.mp4", [flat((30, 60, 90))] * 150)
    workspace = Workspace(tmp_path / "library", Settings())
    report = workspace.add(first)
    found = estimate(workspace, [str(first), str(longer)])
    known, new = found.videos
    assert (known.name, known.indexing) == ("first.mp4", {})
    assert new.indexing is not None
    seconds = next(layer.seconds for layer in report.layers if layer.name == "shots")
    assert new.indexing["visual_pass"] == pytest.approx(seconds * new.duration / known.duration, abs=0.1)
    assert "shots" not in new.indexing
    assert workspace.library.find(str(longer)) is None
    lines = show_estimate(found)
    assert lines[0].endswith("indexed")
    assert "longer.mp4  00:00:06  needs indexing first, about 00:00:" in lines[1]
    assert lines[-1] == "the answer: at most 8 rounds, 300 s, 200,000 tokens, a price of 1"


def test_before_anything_was_indexed_the_time_is_not_known(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "first.mp4", [flat((90, 60, 30))] * 50)
    [video] = estimate(Workspace(tmp_path / "library", Settings()), [str(clip)]).videos
    assert video.indexing is None
    arguments = ["--library", str(tmp_path / "library"), "ask", "--estimate", str(clip), "What is shown?"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "time unknown" in result.stdout
    assert not (tmp_path / "library" / "videos").exists()


def test_what_is_neither_file_nor_video_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LongtakeError, match="neither a file nor a video"):
        estimate(Workspace(tmp_path / "library", Settings()), ["nothing.mp4"])
