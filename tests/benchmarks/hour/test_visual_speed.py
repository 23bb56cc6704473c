"""`bench pass`: the visual pass beside decoding, PySceneDetect and ffmpeg."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.media.clips import noise, write_clip
from typer.testing import CliRunner

from longtake.benchmarks.cli import bench
from longtake.benchmarks.hour import visual_speed
from longtake.benchmarks.hour.visual_speed import decode, measure_pass, visual_pass
from longtake.console import Session
from longtake.errors import EngineError
from longtake.memory.building import Building, build_layers
from longtake.memory.layers import LayerRecipe
from longtake.settings import Settings


def test_bare_decoding_reads_every_picture(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", [noise(number) for number in range(30)], sound_seconds=1.0)
    assert decode(clip) == 30


def test_the_pass_can_be_made_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, bytes]] = []

    @contextmanager
    def looked_at(folder: Path, recipes: Sequence[LayerRecipe]) -> Iterator[Building]:
        with build_layers(folder, recipes) as building:
            yield building
        made.append({file.name: file.read_bytes() for file in folder.rglob("*.jsonl")})

    monkeypatch.setattr(visual_speed, "build_layers", looked_at)
    work = visual_pass(write_clip(tmp_path / "clip.mp4", [noise(number) for number in range(30)]), Settings())
    work()
    work()
    assert made[0] == made[1] != {}


def test_without_ffmpeg_it_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(EngineError, match=r"ffmpeg, which isn't installed: install longtake\[bench\]"):
        measure_pass(Settings(), tmp_path, tmp_path, pytest.fail)


def test_each_round_times_all_four(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    (tmp_path / "clips").mkdir()
    write_clip(tmp_path / "clips" / "clip.mp4", [noise(number) for number in range(50)])
    arguments = ["pass", "--media", str(tmp_path / "clips"), "--seconds", "10", "--rounds", "2", "--json"]
    result = CliRunner().invoke(bench, [*arguments, "--work", str(tmp_path / "work")], obj=Session())
    report = json.loads(result.stdout)
    scenes, pictures = report["scene_detection"], report["sampled_pictures"]
    others = report["beside_others"]["floor"]
    assert report["beside_decoding"]["ratio"]["n"] == scenes["n"] == pictures["n"] == 2
    assert others["low"] >= scenes["low"] + pictures["low"] - 0.001
    assert others["high"] <= scenes["high"] + pictures["high"] + 0.001
    assert report["beside_decoding"]["seconds"] == report["beside_others"]["seconds"]
    assert report["beside_decoding"]["ratio"]["low"] > 0
    assert list((tmp_path / "work").glob("*/*.jpg")) == []


def test_each_observer_is_measured_by_itself(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    write_clip(tmp_path / "clips" / "clip.mp4", [noise(number) for number in range(50)])
    arguments = ["pass", "--by", "observer", "--media", str(tmp_path / "clips"), "--seconds", "10", "--json"]
    result = CliRunner().invoke(bench, [*arguments, "--work", str(tmp_path / "work")], obj=Session())
    report = json.loads(result.stdout)
    assert set(report["added"]) == {"still", "moments", "motion", "keyframes", "text_frames"}
    assert 0 < report["decoding"] < report["shots"]
    assert report["shots"] < report["whole"]
