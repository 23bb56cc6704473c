"""Frames a second of edits and analyses: everything is timed, beside bare decoding in the same run."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.media.clips import noise, write_clip
from typer.testing import CliRunner

from longtake.benchmarks.cli import bench
from longtake.console import Session
from longtake.evalharness.edits.edit_table import EDITS


def test_every_edit_and_analysis_is_timed_beside_decoding(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", (noise(number // 9) for number in range(75)), sound_seconds=3.0)
    arguments = ["edits", "--video", str(clip), "--rounds", "1", "--json"]
    report = json.loads(CliRunner().invoke(bench, arguments, obj=Session(), catch_exceptions=False).stdout)
    edits, analyses = ({row["name"]: row for row in report[part]} for part in ("edits", "analyses"))
    assert set(edits) == set(EDITS)
    assert edits["reversal"]["frames"] == analyses["decode and measure"]["frames"] == 75
    assert edits["occlusion"]["frames"] == 300
    rows = [*edits.values(), *analyses.values()]
    assert all(row["per_second"]["median"] > 0 and row["times_decoding"]["median"] > 0 for row in rows)
    assert report["decoding"]["n"] == len(rows)
