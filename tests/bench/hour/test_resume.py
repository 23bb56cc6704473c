"""`bench resume`: what a kill leaves, what is made again after it, and what is compared."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from helpers.media.clips import noise, write_clip, written
from typer.testing import CliRunner

from longtake.bench.cli import bench
from longtake.bench.hour.killing import BETWEEN, Indexing, Moment
from longtake.bench.hour.resume import differences
from longtake.console import Session
from longtake.errors import EngineError

# Builds a layer in chunks as a step does; with `redo` it does not look at the chunks that are there.
INDEXER = """
import sys, time
from pathlib import Path
from longtake.memory.building import build_layers
from longtake.memory.layers import LayerRecipe, LayerStore
root, redo = Path(sys.argv[1]) / "videos" / "v" / "layers", sys.argv[2] == "redo"
recipe = LayerRecipe("speech", 1, "none")
with build_layers(root, [recipe]) as building:
    for number in range(8):
        name = f"{number:05d}"
        if building.chunks.get(name) is None or redo:
            time.sleep(0.15)
            building.chunks.put(name, b"heard")
made, reused = building.chunks.made, building.chunks.reused - building.chunks.made
LayerStore(root).record_run("speech", recipe.key, {"chunks_made": len(made), "chunks_reused": len(reused)})
"""


def indexing(library: Path, how: str) -> Indexing:
    return Indexing([sys.executable, "-c", INDEXER, str(library), how], library)


def test_chunks_that_outlive_a_kill_are_not_counted_as_redone(tmp_path: Path) -> None:
    run = indexing(tmp_path, "resume")
    kill = run.kill_at(Moment("speech", 0.5))
    assert kill is not None
    assert kill.step == "speech"
    assert 1 <= kill.finished < 8
    again = run.kill_at(Moment("speech", 0.5))
    assert again is not None
    assert again.finished > kill.finished
    run.finish()
    assert (run.finished, run.redone) == (kill.finished + again.finished, 0)


def test_chunks_that_are_made_again_are_counted(tmp_path: Path) -> None:
    run = indexing(tmp_path, "redo")
    first = run.kill_at(Moment("speech", 0.6))
    second = run.kill_at(Moment("speech", 0.5))
    assert first is not None
    assert second is not None
    assert run.redone >= 1
    run.finish()
    assert run.redone > second.finished
    assert run.redone <= run.finished == first.finished + second.finished


def test_a_process_that_ends_first_is_not_killed(tmp_path: Path) -> None:
    assert indexing(tmp_path, "resume").kill_at(Moment("sounds", 0.0)) is None


def test_a_kill_before_any_step_falls_between_steps(tmp_path: Path) -> None:
    kill = indexing(tmp_path, "resume").kill_at(Moment(None, 0.0))
    assert kill is not None
    assert (kill.step, kill.finished) == (BETWEEN, 0)


def test_a_process_that_fails_by_itself_is_one_sentence(tmp_path: Path) -> None:
    run = Indexing([sys.executable, "-c", "raise SystemExit('no disk')"], tmp_path)
    with pytest.raises(EngineError, match="failed: no disk"):
        run.finish()


def test_files_that_differ_or_are_missing_are_named() -> None:
    assert differences({"a": "1", "b": "2"}, {"a": "1", "b": "2"}) == ()
    assert differences({"a": "1", "b": "2"}, {"a": "9", "c": "2"}) == ("a", "b", "c")


def test_report_says_where_the_kills_fell(tmp_path: Path) -> None:
    slides = [written(noise(number, 640, 360), f"ROOM {number}", (100, 200), 2.0) for number in range(4)]
    (tmp_path / "clips").mkdir()
    write_clip(tmp_path / "clips" / "rooms.mp4", [slide for slide in slides for _ in range(50)], sound_seconds=8.0)
    arguments = [
        "resume",
        "--media",
        str(tmp_path / "clips"),
        "--seconds",
        "14",
        "--kills",
        "2",
        "--seed",
        "4",
    ]  # its moments are early ones
    result = CliRunner().invoke(
        bench, [*arguments, "--work", str(tmp_path / "work"), "--json"], obj=Session(), catch_exceptions=False
    )
    report = json.loads(result.stdout)
    assert len(report["kills"]) == sum(report["by_step"].values()) == 2
    assert {"visual_pass", "sounds", "scene_text"} <= set(report["by_step"])
    assert report["identical_runs"]["n"] == max(kill["run"] for kill in report["kills"])
    assert report["identical_runs"]["share"] == 1.0, report["differing"]
    assert report["redone_chunks"]["count"] == 0


def test_a_bench_that_is_interrupted_leaves_nothing_running(tmp_path: Path) -> None:
    started = tmp_path / "process"
    code = f"import os, pathlib, time; pathlib.Path({str(started)!r}).write_text(str(os.getpid())); time.sleep(60)"
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 2.0)
    try:
        with pytest.raises(KeyboardInterrupt):
            Indexing([sys.executable, "-c", code], tmp_path).kill_at(Moment("speech", 0.0))
    finally:
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
