"""`bench speed`: what is timed, and the shape of the report."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
from helpers.clips import noise, write_clip
from typer.testing import CliRunner

from longtake.console import Session
from longtake.errors import EngineError
from longtake.evalharness.cli import bench
from longtake.evalharness.speed import Beside, decode, run_python


def test_bare_decoding_reads_every_picture(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", [noise(number) for number in range(30)], sound_seconds=1.0)
    assert decode(clip) == 30


def test_work_is_timed_in_turns_with_its_floor() -> None:
    order: list[str] = []

    def ours() -> None:
        order.append("ours")
        time.sleep(0.02)

    measured = Beside.measure(ours, lambda: order.append("floor"), 3)
    assert order == ["floor", "ours"] * 3
    assert measured.seconds.n == measured.floor.n == measured.ratio.n == 3
    assert measured.seconds.low >= 0.02
    assert measured.ratio.low > 1


def test_started_process_hands_back_what_it_wrote() -> None:
    assert run_python("-c", "print('here')") == "here\n"


def test_failing_process_is_one_sentence() -> None:
    with pytest.raises(EngineError, match=r"failed: the last word$") as caught:
        run_python("-c", "import sys; sys.exit('first\\nthe last word')")
    assert sys.executable in str(caught.value)


@pytest.mark.slow
def test_report_holds_every_measure() -> None:
    result = CliRunner().invoke(bench, ["speed", "--json"], obj=Session(), catch_exceptions=False)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert set(report) == {"machine", "help", "index", "visual_pass", "ask_warm", "ask_cold"}
    assert report["help"]["seconds"]["n"] == 5
    assert report["ask_warm"]["n"] >= 10
    assert report["ask_cold"]["ratio"]["n"] == 3
    assert {"visual pass", "sounds", "scene_text", "text_vectors"} <= set(report["index"]["layers"])
    assert report["visual_pass"]["ratio"]["low"] > 1
    assert report["machine"]["cores"] >= 1
