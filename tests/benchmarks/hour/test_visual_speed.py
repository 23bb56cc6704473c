"""`bench pass`: the visual pass beside decoding and other tools, and what each observer costs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers.media.clips import noise, write_clip
from typer.testing import CliRunner

from longtake.benchmarks.cli import bench
from longtake.benchmarks.hour import visual_speed
from longtake.benchmarks.hour.visual_speed import decode, visual_pass
from longtake.console import Session
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


def measured(tmp_path: Path, *options: str) -> dict[str, Any]:
    (tmp_path / "clips").mkdir()
    write_clip(tmp_path / "clips" / "clip.mp4", [noise(number) for number in range(50)])
    arguments = ["pass", "--media", str(tmp_path / "clips"), "--seconds", "10", "--json", *options]
    result = CliRunner().invoke(bench, [*arguments, "--work", str(tmp_path / "work")], obj=Session())
    report: dict[str, Any] = json.loads(result.stdout)
    assert report["video_seconds"] == 10
    return report


@pytest.mark.parametrize("beside", ["decoding", "tools"])
def test_each_round_times_both(tmp_path: Path, beside: str) -> None:
    report = measured(tmp_path, "--rounds", "2", "--beside", beside)
    assert report["visual_pass"]["n"] == report["beside"]["n"] == report["ratio"]["n"] == 2
    assert report["ratio"]["low"] > 0
    assert list((tmp_path / "work").glob("*/*.jpg")) == []


def test_each_observer_is_measured_by_itself(tmp_path: Path) -> None:
    report = measured(tmp_path, "--beside", "observers")
    assert set(report["added"]) == {"still", "moments", "motion", "keyframes", "text_frames"}
    assert 0 < report["decoding"] < report["shots"] < report["whole"]
