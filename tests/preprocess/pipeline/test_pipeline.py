"""From a file to layers and the index: only what is missing is built, and what fails does not stop the rest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock
from helpers.full_disk import NO_BYTECODE
from helpers.layers_on_disk import chunks_in, in_use
from helpers.media.small_video import write_small_video

from longtake.config import load
from longtake.errors import Cancelled, LibraryError
from longtake.memory.layers import Layer, LayerStore
from longtake.memory.library import LAYERS, LibraryStore, file_id
from longtake.memory.search.search_types import SearchFilter
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.pipeline.progress import IndexReport, StepProgress, Watcher
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.preprocess.pipeline.step_run import SourceChanged, run_step
from longtake.preprocess.pipeline.workspace import Workspace

EMBEDDED = load(overrides=["engines.speakers=[]"])
# What the embedded profile makes of a short video with subtitles; the rest takes a model, or a longer one.
BUILT = set(LAYERS) - {"speech", "speakers", "frame_vectors", "detections", "faces", "captions", "sections", "outline"}


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
    assert built(report) == BUILT
    assert not [layer for layer in report.layers if layer.problem]
    hits = retrieve("kettle", SearchFilter((report.video.id,)), 5, workspace.engines, workspace.index)
    assert hits
    assert workspace.library.coverage(report.video)["scene_text"] == pytest.approx(1.0, abs=0.02)


def test_the_same_file_gives_the_same_bytes_in_another_library(video: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        Workspace(tmp_path / name, EMBEDDED).add(video)
    one = layer_bytes(tmp_path / "one")
    assert len(one) > 2 * len(BUILT)
    assert one == layer_bytes(tmp_path / "two")


def test_a_file_seen_before_is_only_completed(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    workspace.add(video)
    assert built(workspace.add(video)) == set()
    moved = video.rename(video.with_name("moved.mp4"))
    video.with_suffix(".vtt").rename(moved.with_suffix(".vtt"))
    assert built(workspace.add(moved)) == set()
    assert [record.name for record in workspace.library.videos()] == ["moved.mp4"]


@pytest.mark.slow
def test_another_setting_rebuilds_its_layer_and_what_rests_on_it(video: Path, tmp_path: Path) -> None:
    Workspace(tmp_path / "library", EMBEDDED).add(video)
    changed = load("embedded", ["scene_text.min_confidence=0.9"])
    assert built(Workspace(tmp_path / "library", changed).add(video)) == {
        "scene_text",
        "text_vectors",
        "entities",
        "segments",
    }


def test_a_malformed_subtitle_file_is_reported_and_the_rest_goes_on(video: Path, tmp_path: Path) -> None:
    for sidecar in video.parent.glob("*.vtt"):
        sidecar.unlink()
    video.with_suffix(".srt").write_text("1\nnot a time --> at all\nhello\n")
    report = Workspace(tmp_path / "library", EMBEDDED).add(video)
    problems = {layer.name: layer.problem for layer in report.layers if layer.problem}
    assert set(problems) == {"subtitles"}
    assert "line 2" in str(problems["subtitles"])
    assert built(report) == BUILT - {"subtitles"} | {"speech"}


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
    whole = workspace.add(video)
    assert whole.complete
    in_use = whole.video.layers["text_vectors"]
    embedded = workspace.library.layers(whole.video.id).root / "text_vectors"
    assert {each.name for each in embedded.iterdir()} == {in_use, f"{in_use}.run.json"}


@pytest.mark.nightly
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


@pytest.mark.nightly
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
    assert "text_vectors" in {layer.name for layer in report.layers if layer.unavailable}
    assert retrieve("kettle", SearchFilter(), 5, workspace.engines, workspace.index)


def without_subtitles(
    step: Step, job: IndexJob, store: LayerStore, watcher: Watcher, check_source: Callable[[], None]
) -> list[Layer] | None:
    """Embeds as a machine that lacks a layer."""
    if step.name == "text_vectors":
        job = replace(job, layers={name: layer for name, layer in job.layers.items() if name != "subtitles"})
    return run_step(step, job, store, watcher, check_source)


@pytest.mark.parametrize("indexed_before", [True, False])
def test_vectors_of_other_documents_are_a_problem_and_take_none_away(
    video: Path, tmp_path: Path, indexed_before: bool
) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    fitting = workspace.add(video).video.layers["text_vectors"] if indexed_before else None
    for _ in range(2):  # it is told each time
        report = workspace.add(video, runner=without_subtitles)
        [problem] = [layer for layer in report.layers if layer.problem]
        assert problem.name == "text_vectors"
        assert report.video.layers.get("text_vectors") == fitting
        assert bool(workspace.index.spaces([report.video.id])) == indexed_before
        assert retrieve("kettle", SearchFilter((report.video.id,)), 5, workspace.engines, workspace.index)
    repaired = workspace.add(video)
    assert built(repaired) == (set() if indexed_before else {"text_vectors"})
    assert not [layer for layer in repaired.layers if layer.problem]
    assert workspace.index.spaces([repaired.video.id])


def test_an_engine_that_crashes_costs_only_its_own_layer(
    video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ValueError("no such tensor")

    monkeypatch.setattr("longtake.preprocess.engines.sounds.spectral_sounds.SpectralSounds.detect", crash)
    report = Workspace(tmp_path / "library", EMBEDDED).add(video)
    problems = {layer.name: layer.problem for layer in report.layers if layer.problem}
    assert set(problems) == {"sounds"}
    assert "ValueError: no such tensor" in str(problems["sounds"])
    assert built(report) == BUILT - {"sounds"}


def test_a_file_that_changes_while_it_is_read_is_refused_and_costs_nothing_finished(
    video: Path, tmp_path: Path
) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    watcher = Watcher(progress=lambda progress: grow(video) if progress.step == "visual_pass" else None)
    with pytest.raises(SourceChanged, match=r"talk\.mp4 changed .*index it again"):
        workspace.add(video, watcher)
    [record] = workspace.library.videos()
    assert set(record.layers) == {"probe", "subtitles", "text_vectors"}
    assert not layer_bytes(tmp_path / "library").keys() & {"shots", "keyframes"}
    assert not list((tmp_path / "library").glob("videos/*/layers/.building/*"))
    assert workspace.add(video).complete


def grow(file: Path) -> None:
    with file.open("ab") as stream:
        stream.write(b"\0")


def test_a_file_that_goes_while_it_is_read_is_named(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    watcher = Watcher(progress=lambda progress: video.unlink(missing_ok=True))
    with pytest.raises(SourceChanged, match=r"talk\.mp4 was removed"):
        workspace.add(video, watcher)


@pytest.mark.nightly
def test_a_second_process_waits_and_then_finds_everything_done(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    command = [sys.executable, "-m", "longtake", "--library", str(tmp_path / "library"), "index", str(video), "--json"]
    with workspace.library.lock(file_id(video)):
        second = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert second.stderr is not None
        assert "is being indexed by another process; waiting" in second.stderr.readline()
        first = LibraryStore(tmp_path / "library")
        assert first.videos() == []
    reported = second.communicate(timeout=120)[0]
    assert second.returncode == 0
    assert json.loads(reported)["complete"]


def test_who_will_not_wait_takes_what_is_there(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    whole = workspace.add(video).video
    workspace.library.save(whole.model_copy(update={"layers": {"probe": whole.layers["probe"]}, "complete": False}))
    holder = FileLock(str(tmp_path / "library" / "locks" / f"{whole.id}.lock"), is_singleton=False, thread_local=False)
    with holder:
        report = workspace.add(video, Watcher(wait=False))
    assert not report.complete
    assert set(report.video.layers) == {"probe"}


def test_an_indexed_video_is_whole_also_while_somebody_else_looks_after_it(video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    whole = workspace.add(video).video
    holder = FileLock(str(tmp_path / "library" / "locks" / f"{whole.id}.lock"), is_singleton=False, thread_local=False)
    with holder:
        report = workspace.add(video, Watcher(wait=False))
    assert report.complete
    assert report.video.layers == whole.layers


@pytest.mark.nightly
def test_a_full_disk_is_one_sentence_and_what_was_finished_goes_on(video: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: the same write fails, in the same place."""
    library = str(tmp_path / "library")
    index = f"from longtake.cli.main import main; import sys; sys.argv = ['longtake', '--library', {library!r}"
    index += f", 'index', {str(video)!r}]; main()"
    limited = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\n"
    command = [sys.executable, "-c", limited + index]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | NO_BYTECODE)
    assert done.returncode == 1
    told = [line for line in done.stderr.strip().splitlines() if "still working" not in line]  # on a busy machine
    assert (len(told), "disk space" in told[0]) == (1, True)
    workspace = Workspace(tmp_path / "library", EMBEDDED)
    assert "probe" in workspace.library.videos()[0].layers
    assert workspace.add(video).complete


def test_a_library_of_another_version_is_refused(video: Path, tmp_path: Path) -> None:
    Workspace(tmp_path, EMBEDDED).add(video)
    (tmp_path / "library.json").write_text('{"format": 999}')
    with pytest.raises(LibraryError, match="format 999"):
        Workspace(tmp_path, EMBEDDED)


@pytest.mark.nightly
@pytest.mark.parametrize("after", [1, 2, 4])
def test_a_killed_index_goes_on_where_it_was(video: Path, tmp_path: Path, after: int) -> None:
    """Killed when `after` chunks are on disk; none is made twice, and the layers are those of an undisturbed run."""
    settings = ["visual_pass.chunk_seconds=2"]
    command = [sys.executable, "-m", "longtake", "--library", str(tmp_path / "killed")]
    command += ["--set", settings[0], "index", str(video)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and len(chunks_in(tmp_path / "killed")) < after:
        time.sleep(0.002)
    process.kill()
    process.wait()
    kept = chunks_in(tmp_path / "killed")
    workspace = Workspace(tmp_path / "killed", load("embedded", settings))
    made: dict[str, int] = {}

    def look(progress: StepProgress) -> None:
        made.update({name: inode for name, inode in chunks_in(tmp_path / "killed").items() if name in kept})

    assert workspace.add(video, Watcher(progress=look)).complete
    assert kept, "the process was killed too late for this test"
    again = [name for name in made if made[name] != kept[name]]
    assert not again
    Workspace(tmp_path / "whole", load("embedded", settings)).add(video)
    assert in_use(tmp_path / "killed") == in_use(tmp_path / "whole")
