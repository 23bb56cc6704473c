"""Indexing on a Ray cluster: the same bytes as here, nothing made twice, and a stop that keeps what is finished."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from helpers.command import longtake
from helpers.layers_on_disk import chunks_in, in_use
from helpers.media.clips import flat, write_clip, written
from helpers.ray_cluster import two_nodes

from longtake.cluster.pool import Pool, Worker
from longtake.config import load
from longtake.errors import Cancelled, ConfigError, LongtakeError
from longtake.memory.building import build_layers
from longtake.memory.layers import Layer, LayerRecipe, LayerStore
from longtake.preprocess.cluster import ray_steps
from longtake.preprocess.cluster.ray_steps import LayerBuilder, RaySteps, Task, wait_for_layer
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.progress import Watcher
from longtake.preprocess.pipeline.step_run import SourceChanged
from longtake.preprocess.pipeline.workspace import Workspace

SETTINGS = load(overrides=["engines.speakers=[]", "visual_pass.chunk_seconds=2"])


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three videos of twelve seconds with different words on screen."""
    folder = tmp_path_factory.mktemp("videos")
    paths = [folder / f"{word}.mp4" for word in ("KETTLE", "HARBOUR", "VIOLIN")]
    for path in paths:
        slide = written(flat((60, 30, 10), 640, 360), path.stem, place=(120, 190), scale=2.0)
        write_clip(path, [slide] * 60, times=lambda number: number / 5, sound_seconds=12.0)
    return paths


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with two_nodes() as address:
        yield address


@pytest.fixture(scope="module")
def here(videos: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of an index in this process."""
    root = tmp_path_factory.mktemp("here")
    workspace = Workspace(root, SETTINGS)
    assert all(workspace.add(video).complete for video in videos)
    return root


def kill_workers(address: str) -> None:
    """Kill the workers of one cluster: those whose parent, a raylet, has its address in the command line."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            raylet = process.parent()
            named = "".join(process.cmdline()).startswith("ray::LayerBuilder")
            if named and raylet and address in " ".join(raylet.cmdline()):
                process.kill()


class Placed(Worker):
    """Says who it is and how many GPUs Ray gave it."""

    def who(self) -> tuple[int, int]:
        import ray

        time.sleep(0.5)  # so that the next call finds it busy
        return os.getpid(), len(ray.get_gpu_ids())


@pytest.mark.nightly
def test_only_work_that_uses_a_gpu_goes_to_the_worker_with_one() -> None:
    def gpus(pool: Pool, gpu: bool) -> list[int]:
        """Of each worker that answered four calls at once."""
        with ThreadPoolExecutor(4) as threads:
            calls = [threads.submit(pool.run, "asking", "who", check=lambda: None, gpu=gpu) for _ in range(4)]
            return [number for _, number in sorted({call.result() for call in calls})]

    cloudpickle = pytest.importorskip("ray.cloudpickle", reason="needs the extra `ray`: pip install 'longtake[ray]'")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers can't import tests
    with two_nodes(gpus=2) as address:
        with Pool(address, Placed, gpu=True) as pool:
            assert pool.size == 2
            assert (gpus(pool, gpu=True), gpus(pool, gpu=False)) == ([1], [0])
        with Pool(address, Placed, gpu=False) as pool:
            assert gpus(pool, gpu=False) == [0, 0], "no worker is kept for work that nobody has"


@pytest.mark.nightly
def test_a_cluster_makes_the_same_bytes(address: str, videos: list[Path], here: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, SETTINGS)
    with RaySteps(address, SETTINGS) as steps, ThreadPoolExecutor(3) as pool:
        assert steps.size == 2
        reports = list(pool.map(lambda video: workspace.add(video, runner=steps), videos))
    assert all(report.complete for report in reports)
    assert not [layer for report in reports for layer in report.layers if layer.problem]
    assert in_use(tmp_path) == in_use(here)


@pytest.mark.nightly
def test_a_lost_worker_costs_no_finished_chunk(address: str, videos: list[Path], tmp_path: Path) -> None:
    kept: dict[str, int] = {}
    made: dict[str, int] = {}
    over = threading.Event()

    def kill_once() -> None:
        while not over.wait(0.005):
            chunks = chunks_in(tmp_path)
            if chunks and not kept:
                kept.update(chunks)
                kill_workers(address)
            made.update({name: inode for name, inode in chunks.items() if name in kept})

    with RaySteps(address, SETTINGS) as steps:
        killer = threading.Thread(target=kill_once)
        killer.start()
        try:
            report = Workspace(tmp_path, SETTINGS).add(videos[0], runner=steps)
        finally:
            over.set()
            killer.join()
    assert kept
    assert report.complete
    assert not [layer for layer in report.layers if layer.problem]
    assert made == kept


@pytest.mark.nightly
def test_a_stop_ends_the_work_of_the_cluster_and_keeps_it(address: str, videos: list[Path], tmp_path: Path) -> None:
    checks = iter(range(4))  # fewer than there are steps, and each step checks at least once

    def check() -> None:
        if next(checks, None) is None:
            raise Cancelled

    workspace = Workspace(tmp_path, SETTINGS)
    with RaySteps(address, SETTINGS) as steps:
        assert not workspace.add(videos[0], Watcher(check), steps).complete
        assert workspace.add(videos[0], runner=steps).complete


@pytest.mark.nightly
def test_the_command_indexes_on_this_machine(videos: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra `ray`: pip install 'longtake[ray]'")
    done = longtake(
        "index", *videos, tmp_path / "none.mp4", "--executor", "ray", "--json", library=tmp_path / "library"
    )
    assert done.code == 3
    assert [line.count('"complete": true') for line in done.stdout.splitlines()].count(1) == 3


READS = """
import os, sys
from longtake.cluster.pool import Pool, Worker

class Reader(Worker):
    def read(self):
        return os.read(0, 1)

with Pool(sys.argv[1], Reader, gpu=False) as pool:
    sys.exit(len(pool.run("reading", "read", check=lambda: None, gpu=False)))
"""


@pytest.mark.nightly
@pytest.mark.parametrize("start_node", [False, True])
def test_workers_have_no_input_from_the_terminal_that_started_them(tmp_path: Path, start_node: bool) -> None:
    pytest.importorskip("ray", reason="needs the extra `ray`: pip install 'longtake[ray]'")
    (tmp_path / "reads.py").write_text(READS, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    nodes = tempfile.mkdtemp()  # paths of sockets must be short
    node = f"{Path(sys.executable).parent}/ray start --head --port {port} --num-cpus 1 --temp-dir {nodes}"
    reads = f"{sys.executable} {tmp_path}/reads.py"
    typed = f"{node} && {reads} 127.0.0.1:{port}" if start_node else f"{reads} ''"
    ours, terminal = pty.openpty()
    with subprocess.Popen(
        ["bash", "-mc", typed],  # as in an interactive shell, each command is the foreground process while it runs
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "RAY_AUTH_MODE": "disabled"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as shell:
        os.close(terminal)
        reading = threading.Thread(target=_read_all, args=(ours,))
        reading.start()
        try:
            assert shell.wait(timeout=150) == 0  # a worker that reads from the terminal is stopped for ever
        finally:
            for process in psutil.process_iter():
                with suppress(psutil.Error):
                    if any(part in " ".join(process.cmdline()) for part in (nodes, str(tmp_path))):
                        process.kill()
            reading.join()
            os.close(ours)
            shutil.rmtree(nodes, ignore_errors=True)


def _read_all(terminal: int) -> None:
    with suppress(OSError):  # nobody holds its other end any more
        while os.read(terminal, 4096):
            pass


@pytest.mark.nightly
def test_a_cluster_started_here_asks_for_its_token(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra `ray`: pip install 'longtake[ray]'")
    joins = "import os; from longtake.cluster.pool import _connected; _connected(os.environ['CLUSTER'])"
    started = f"""
import os, subprocess, sys
from longtake.cluster.pool import Pool
from longtake.config import load
from longtake.preprocess.cluster.ray_steps import LayerBuilder
with Pool("", LayerBuilder, load(), gpu=False):
    import ray
    with_token = {{"RAY_AUTH_MODE": "token", "HOME": os.environ["HOME"]}}
    for own in (with_token, {{"HOME": sys.argv[1]}}):
        path = {{"PYTHONPATH": os.environ.get("PYTHONPATH", "")}}
        environment = {{"CLUSTER": ray.get_runtime_context().gcs_address, **path, **own}}
        done = subprocess.run([sys.executable, "-c", {joins!r}], env=environment, capture_output=True, text=True)
        print(done.returncode, done.stderr.count("InvalidAuthToken"), "RAY_AUTH_MODE" in done.stderr)
"""
    done = subprocess.run([sys.executable, "-c", started, tmp_path], capture_output=True, text=True)
    joined, refused = (line.split() for line in done.stdout.splitlines())
    assert joined == ["0", "0", "False"], done.stderr
    assert (refused[0], int(refused[1]) < 5, refused[2]) == ("1", True, "True")  # Ray itself tries 20 times


@pytest.mark.parametrize(
    ("missing", "named"),
    [("video", "VIOLIN"), ("same video", "VIOLIN"), ("library", "library"), ("layer", "shots")],
)
def test_what_a_node_does_not_share_is_named(
    videos: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, named: str
) -> None:
    monkeypatch.setattr(ray_steps, "_SHOWN", 0.0)
    store = LayerStore(tmp_path / "library" / "layers")
    task = Task("probe", videos[2], videos[2].stat().st_size, store, probe(videos[2]), {})
    if missing != "library":
        store.root.mkdir(parents=True)
    if missing == "video":
        task = replace(task, path=tmp_path / "VIOLIN.mp4")
    if missing == "same video":
        task = replace(task, size=task.size + 1)
    if missing == "layer":
        task = replace(task, layers={"shots": "0123456789abcdef"})
    with pytest.raises(ConfigError, match=named):
        LayerBuilder(SETTINGS).build(task)


class OnOwnDisk(RaySteps):
    """A worker whose library is another folder at the same path."""

    def __init__(self, folder: Path) -> None:
        self._store = LayerStore(folder / "layers")
        self._store.root.mkdir()

    def run(self, what: str, method: str, *given: Any, **_: Any) -> Any:
        return LayerBuilder(SETTINGS).build(replace(given[0], store=self._store))


def test_a_layer_built_on_another_disk_is_no_success(
    videos: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_steps, "_SHOWN", 0.0)
    workspace = Workspace(tmp_path / "library", SETTINGS)
    with pytest.raises(LongtakeError, match=r"probe.*library\.layers"):
        workspace.add(videos[0], runner=OnOwnDisk(tmp_path))


@pytest.mark.parametrize("change", [lambda path: os.truncate(path, 5000), Path.unlink])
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_video_that_changes_is_not_taken_for_another_disk(
    videos: list[Path], tmp_path: Path, change: Callable[[Path], None], when: str
) -> None:
    video = Path(shutil.copy(videos[0], tmp_path / "video.mp4"))

    class Changing(OnOwnDisk):
        def __call__(
            self, step: Step, job: IndexJob, store: LayerStore, watcher: Watcher, check_source: Callable[[], None]
        ) -> list[Layer] | None:
            if when == "before":
                change(video)
            return super().__call__(step, job, store, watcher, check_source)

        def run(self, *given: Any, **more: Any) -> Any:
            change(video)
            return super().run(*given, **more)

    with pytest.raises(SourceChanged):
        Workspace(tmp_path / "library", SETTINGS).add(video, runner=Changing(tmp_path))


def test_a_layer_that_shows_late_is_waited_for(tmp_path: Path) -> None:
    recipe, store = LayerRecipe("shots", 1, "cutter"), LayerStore(tmp_path)

    def write_once_missed() -> None:
        with build_layers(tmp_path, [recipe]):
            pass

    assert wait_for_layer(store, "shots", recipe.key, write_once_missed)


@pytest.mark.parametrize(
    "executor", ["rey", "ray=", "ray=10.0.0.1", "ray=http://10.0.0.1:6379", "ray=127.0.0.1:many", "ray=127.0.0.1:9"]
)
def test_an_executor_that_cannot_be_is_refused(executor: str, videos: list[Path], tmp_path: Path) -> None:
    done = longtake("index", videos[0], "--executor", executor, library=tmp_path)
    assert (done.code, "Ray" in done.stderr or "ray" in done.stderr) == (1, True)
    assert executor.partition("=")[2] in done.stderr
    assert done.stderr.count("\n") == 1
