"""`plan`: what many files will take, told from what indexing took in this library."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.command import longtake
from helpers.media.clips import flat, write_clip

from longtake.cluster.pool import MEMORY
from longtake.config import load
from longtake.errors import LibraryError
from longtake.memory.library import LibraryStore
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.estimate import measurements
from longtake.preprocess.pipeline.model_costs import model_costs
from longtake.preprocess.pipeline.plan import plan
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS
from longtake.settings import Settings


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> LibraryStore:
    """A library with one indexed video, beside which lies another one."""
    folder = tmp_path_factory.mktemp("measured")
    workspace = Workspace(folder / "library", Settings())
    assert workspace.add(write_clip(folder / "first.mp4", [flat((90, 60, 30))] * 50)).complete
    write_clip(folder / "second.mp4", [flat((30, 60, 90))] * 50)
    return workspace.library


def test_work_grows_with_the_video_and_time_falls_with_the_cores(library: LibraryStore) -> None:
    [video] = library.videos()
    work = {
        step: sum(seconds for seconds, _ in each)
        for step, each in measurements(library, "core_seconds", [video]).items()
    }
    one, two = plan(library, [3600.0] * 8, 1), plan(library, [3600.0] * 8, 2, price=3.0)
    assert one.core_hours == pytest.approx({step: 8 * each / video.duration for step, each in work.items()})
    assert (one.hours, two.hours) == pytest.approx((sum(one.core_hours.values()), one.hours / 2))
    assert (one.price, two.price) == (None, pytest.approx(3 * 2 * two.hours))
    assert (one.memory >= MEMORY, two.memory) == (True, 2 * one.memory)
    assert plan(library, [3600.0] * 16, 1).disk == pytest.approx(2 * one.disk, abs=2)


def test_a_file_is_the_work_of_one_core(library: LibraryStore) -> None:
    assert plan(library, [3600.0], 64).hours == plan(library, [3600.0], 1).hours
    assert plan(library, [60.0, 60.0, 3600.0], 2).hours == pytest.approx(plan(library, [3660.0], 1).hours)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("last", "scene_text", "measured_on"),
    [
        ("lacks it", 12.0 / 4, 4),
        ("has it without figures", 12.0 / 3, 4),
        ("has it from chunks that were kept", 12.0 / 3, 4),
        ("has no figures at all", 12.0 / 3, 3),
    ],
)
def test_a_rare_expensive_video_counts_and_one_without_the_step_but_none_whose_work_is_unknown(
    last: str, scene_text: float, measured_on: int, tmp_path: Path
) -> None:
    workspace = Workspace(tmp_path / "library", Settings())
    for number, work in enumerate((1.0, 1.0, 10.0, 0.0)):
        clip = write_clip(tmp_path / f"{number}.mp4", [flat((90, 60, 30 + 9 * number))] * 50)
        video = workspace.add(clip).video
        store = workspace.library.layers(video.id)
        runs: dict[str, dict[str, float]] = {"probe": {"core_seconds": 1.0}, "scene_text": {"core_seconds": work}}
        if number == 3 and last == "lacks it":
            kept = {name: key for name, key in video.layers.items() if name != "scene_text"}
            workspace.library.save(video.model_copy(update={"layers": kept}))
        elif number == 3 and last == "has it from chunks that were kept":
            runs["scene_text"] |= {"chunks_made": 0, "chunks_reused": 9}
        elif number == 3:
            runs = {"probe": runs["probe"]} if last == "has it without figures" else {}
        for name, key in video.layers.items():
            store.record_run(name, key, runs.get(name, {}))
    found = plan(workspace.library, [2 * 3600.0], 1)
    assert found.core_hours == pytest.approx({"probe": 1.0, "scene_text": scene_text})
    assert found.measured_on == measured_on


@pytest.mark.slow
@pytest.mark.parametrize(("made", "kept", "hours"), [(1, 9, 10.0), (10, 0, 1.0), (0, 0, 1.0), (0, 10, None)])
def test_a_resumed_step_counts_in_full(made: int, kept: int, hours: float | None, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", Settings())
    video = workspace.add(write_clip(tmp_path / "first.mp4", [flat((90, 60, 30))] * 50)).video
    store = workspace.library.layers(video.id)
    for name, key in video.layers.items():
        resumed = {"core_seconds": video.duration, "chunks_made": made, "chunks_reused": kept}
        store.record_run(name, key, {"probe": {"core_seconds": 1.0}, "scene_text": resumed}.get(name, {}))
    assert plan(workspace.library, [3600.0], 1).core_hours.get("scene_text") == (hours and pytest.approx(hours))


def test_videos_have_a_fixed_part_and_each_step_grows_with_what_it_reads(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", Settings())
    for seconds in (2, 10):
        clip = write_clip(tmp_path / f"{seconds}.mp4", [flat((90, 60, 9 * seconds))] * (25 * seconds))
        video = workspace.add(clip).video
        work = {"scene_text": 1.0 + 0.5 * seconds, **dict.fromkeys(LAYERS_OF_PASS, 0.2 * seconds)}
        for name, key in video.layers.items():
            workspace.library.layers(video.id).record_run(name, key, {"core_seconds": work.get(name, 0.0)})
    media = probe(clip)
    assert media.video
    large = replace(media, video=replace(media.video, width=640, height=360), duration=4.0)
    seen = plan(workspace.library, [large] * 3, 1)
    told = {step: 3600 * hours for step, hours in seen.core_hours.items() if hours}
    assert told == pytest.approx({"scene_text": 3 * (1.0 + 0.5 * 4), "visual_pass": 3 * 0.2 * 4 * 4})
    assert seen.hours == pytest.approx(sum(seen.core_hours.values()))
    assert plan(workspace.library, [replace(media, video=None)], 1).hours == 0.0


def test_gpus_are_those_that_keep_the_cores_busy(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", Settings())
    video = workspace.add(write_clip(tmp_path / "first.mp4", [flat((90, 60, 30))] * 50)).video
    store = workspace.library.layers(video.id)
    for name, key in video.layers.items():
        work, gpu = {"probe": (3.0, False), "scene_text": (1.0, True)}.get(name, (0.0, False))
        store.record_run(name, key, {"core_seconds": work, "gpu": gpu})
    assert [plan(workspace.library, [60.0], cores).gpus for cores in (1, 4, 16, 17)] == [1, 1, 4, 5]


def test_a_worker_that_took_much_memory_needs_it_again(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", Settings())
    video = workspace.add(write_clip(tmp_path / "first.mp4", [flat((90, 60, 30))] * 50)).video
    store = workspace.library.layers(video.id)
    store.record_run("probe", video.layers["probe"], {"core_seconds": 1.0, "memory": 3 * MEMORY})
    assert plan(workspace.library, [60.0], 2).memory == 2 * 3 * MEMORY


def test_a_copy_of_an_indexed_file_is_left_out_and_a_video_that_is_incomplete_tells_nothing(
    library: LibraryStore, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.mp4"
    shutil.copy(library.root.parent / "first.mp4", copy)
    nothing = longtake("plan", copy, library=library.root)
    assert ("1 file left out" in nothing.stderr, nothing.stdout) == (True, "Nothing to index.\n")
    other = LibraryStore(tmp_path / "library")
    [video] = library.videos()
    shutil.copytree(library.root, other.root)
    other.save(video.model_copy(update={"complete": False}))
    with pytest.raises(LibraryError, match="Index a few"):
        plan(other, [60.0], 1)


@pytest.mark.parametrize("holds", ["nothing", "a video without figures"])
def test_a_library_without_a_measurement_is_one_sentence(holds: str, library: LibraryStore, tmp_path: Path) -> None:
    if holds != "nothing":
        shutil.copytree(library.root, tmp_path, dirs_exist_ok=True)
        for facts in tmp_path.rglob("*.run.json"):
            facts.unlink()
    with pytest.raises(LibraryError, match=r"no figures.* Index a few"):
        plan(LibraryStore(tmp_path), [60.0], 1)


def test_files_that_cannot_be_read_are_named_and_left_out(library: LibraryStore, tmp_path: Path) -> None:
    (tmp_path / "bad.mp4").write_bytes(b"no video")
    good = library.root.parent / "second.mp4"
    mixed = longtake("plan", tmp_path, good, tmp_path / "missing.mp4", library=library.root)
    assert (mixed.code, "1 file," in mixed.stdout) == (3, True)
    assert [name in mixed.stderr for name in ("bad.mp4", "missing.mp4")] == [True, True]
    alone = longtake("plan", tmp_path, library=library.root)
    assert (alone.code, alone.stdout, "bad.mp4" in alone.stderr) == (1, "", True)


def test_the_command_plans_files_or_hours(library: LibraryStore) -> None:
    hours = longtake("plan", "--hours", 10_000, "--cores", 64, "--price", 0.05, library=library.root)
    assert "10,000 files, 10,000.0 hours of video" in hours.stdout
    files = longtake("plan", library.root.parent, "--json", library=library.root)
    assert '"files": 1' in files.stdout
    assert "1 file left out" in files.stderr
    indexed = longtake("plan", library.root.parent / "first.mp4", "--json", library=library.root)
    assert (indexed.code, '"files": 0' in indexed.stdout, "1 file left out" in indexed.stderr) == (0, True, True)
    assert longtake("plan", library=library.root).code == 1
    assert "this machine" in longtake("plan", "--help").stdout  # the default of --cores


def test_what_models_will_be_asked_is_told_before_they_are(library: LibraryStore) -> None:
    nobody = "http://127.0.0.1:9/v1"
    captions = (f"captions.base_url={nobody}", "captions.model=seer", "captions.pictures=4")
    writer = ("controller.engine=openai", f"controller.base_url={nobody}", "controller.model=writer")
    for overrides, layers in (((), []), (captions, ["captions"]), ((*captions, *writer), ["captions", "outline"])):
        settings = load(overrides=overrides)
        costs = model_costs(library, settings, EngineTable(settings), [3600.0, 95.0])
        assert [cost.layer for cost in costs] == layers
    seen, told = costs
    assert (seen.calls, seen.pictures, told.pictures) == (360 + 10, 4 * 370, 0)
    assert 21 <= told.calls <= 30
    assert seen.tokens > 370 * 4 * 300
    assert "370 requests with 1,480 pictures" in seen.text
    chosen = [part for override in (*captions, *writer) for part in ("--set", override)]
    done = longtake(*chosen, "plan", "--hours", "1", library=library.root)
    assert "captions: about 360 requests with 1,440 pictures" in done.stdout
