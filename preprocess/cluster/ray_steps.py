"""Runs steps on a Ray cluster.

The process that indexes keeps the order of the steps, the records and the search index. Workers build the layers with
the same code into the same folders, so the bytes are the same, and another worker resumes from the chunks that a lost
one finished. Where the layers are on object storage, each node has its own folders, and its chunks help only itself.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from longtake.cluster.pool import Pool, Worker
from longtake.errors import Cancelled, ConfigError, LongtakeError
from longtake.memory.layers import Layer, LayerStore
from longtake.offline import forbid_network
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.pipeline.pipeline import ALL_STEPS
from longtake.preprocess.pipeline.progress import LayerReport, StepProgress, Watcher
from longtake.preprocess.pipeline.step_run import run_step, unchanged
from longtake.settings import Settings

_SHOWN = 60.0  # seconds after which a network file system shows what another machine wrote, as it is usually mounted
_POLL = 0.5  # seconds between two looks
_BY_NAME = {step.name: step for step in ALL_STEPS}


@dataclass(frozen=True, slots=True)
class Task:
    """A step for a worker, in names and paths, which mean the same on every node."""

    step: str
    path: Path
    size: int  # of the file, to notice another one at the same path
    store: LayerStore
    media: MediaInfo
    layers: Mapping[str, str]  # key by name of those that the step may read


@dataclass(frozen=True, slots=True)
class Done:
    """The outcome of a step: key of each of its layers, None if it failed or has no engine; and its reports."""

    layers: Mapping[str, str] | None
    reports: list[LayerReport]


class LayerBuilder(Worker):
    """Builds one layer at a time and keeps its engines loaded."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        if settings.offline:
            forbid_network()
        self._settings = settings
        self._engines = EngineTable(settings)
        self._progress: StepProgress | None = None
        self._cancelled = False

    def build(self, task: Task) -> Done:
        """Run a step, as `run_step` does.

        Raises:
            ConfigError: if the video, the library's folder or a layer that the step may read isn't here.
        """
        self._progress, self._cancelled = None, False
        _check_shared(task)
        layers = self._layers(task)
        job = IndexJob(task.path, task.media, self._settings, self._engines, layers, self._check_cancelled)
        watcher = Watcher(self._check_cancelled, self._keep)
        built = run_step(_BY_NAME[task.step], job, task.store, watcher, unchanged(task.path))
        return Done(None if built is None else {layer.name: layer.key for layer in built}, watcher.reports)

    def progress(self) -> StepProgress | None:
        """How far the step is."""
        return self._progress

    def stop(self) -> None:
        """End the step at its next frame or chunk."""
        self._cancelled = True

    def _layers(self, task: Task) -> dict[str, Layer]:
        """The layers that the step may read: without one of them, it would build another layer than it should."""
        layers = {}
        for name, key in task.layers.items():
            layer = wait_for_layer(task.store, name, key, self._check_cancelled)
            if layer is None and task.store.shared:
                raise ConfigError(
                    f"The node {platform.node()} doesn't find the layer {name} ({key}) in {task.store.shared.address}. "
                    "Give it the endpoint and the credentials of the machine that indexes."
                )
            if layer is None:
                raise _not_here(task.store.root / name / key)
            layers[name] = layer
        return layers

    def _keep(self, progress: StepProgress) -> None:
        self._progress = progress

    def _check_cancelled(self) -> None:
        if self._cancelled:
            raise Cancelled


def wait_for_layer(store: LayerStore, name: str, key: str, check: Callable[[], None]) -> Layer | None:
    """A layer that another machine has written, once it shows here; None if it doesn't.

    Object storage shows it at once, a network file system after a while; what `check` raises ends the wait.
    """
    end = time.monotonic() + (0 if store.shared else _SHOWN)
    while (layer := store.get(name, key)) is None and time.monotonic() < end:
        check()
        time.sleep(_POLL)
    return layer


def _check_shared(task: Task) -> None:
    """Refuse a node that has another disk at the paths of the videos or the library."""
    if not task.path.is_file():
        raise ConfigError(
            f"The node {platform.node()} can't read {task.path}. Mount that folder at the same path there."
        )
    if task.path.stat().st_size != task.size:
        raise ConfigError(
            f"The node {platform.node()} has another file at {task.path}. Mount the same folder at that path."
        )
    folder = task.store.root.parent  # of the video in the library, made before its first step
    if not task.store.shared and not folder.is_dir():
        raise _not_here(folder)


def _not_here(folder: Path) -> ConfigError:
    return ConfigError(
        f"The node {platform.node()} has no {folder}. Mount the library at the same path there, or set "
        "library.layers to object storage."
    )


class RaySteps(Pool):
    """The workers of a cluster. Call it as `run_step`, from as many threads as it has workers."""

    def __init__(self, address: str | None, settings: Settings) -> None:
        """See `Pool`."""
        engines = EngineTable(settings)
        gpu = any(step.capability and engines.on_gpu(step.capability) for step in ALL_STEPS)
        super().__init__(address, LayerBuilder, settings, gpu=gpu)

    def __call__(
        self, step: Step, job: IndexJob, store: LayerStore, watcher: Watcher, check_source: Callable[[], None]
    ) -> list[Layer] | None:
        """As `run_step`, on a worker; if that is lost, the next one resumes from its chunks.

        Raises:
            LongtakeError: if one worker after the other is lost, or a layer was built on another disk.
            ConfigError: if the worker's node doesn't share the videos or the library.
        """
        check_source()
        keys = {name: layer.key for name, layer in job.layers.items()}
        task = Task(step.name, job.path.resolve(), job.path.stat().st_size, store, job.media, keys)
        try:
            done: Done = self.run(
                f"{step.name} of {job.path}",
                "build",
                task,
                check=watcher.check_cancelled,
                advance=watcher.progress,
                gpu=step.capability is not None and job.engines.on_gpu(step.capability),
            )
        except ConfigError:
            check_source()  # a file that changed or was removed meanwhile looks like another disk
            raise
        check_source()
        layers = [self._built(store, name, key, watcher.check_cancelled) for name, key in (done.layers or {}).items()]
        watcher.progress(StepProgress(step.name, 1.0, 0.0))
        watcher.reports.extend(done.reports)
        return None if done.layers is None else layers

    @staticmethod
    def _built(store: LayerStore, name: str, key: str, check: Callable[[], None]) -> Layer:
        """A layer that a worker says it has built."""
        if layer := wait_for_layer(store, name, key, check):
            return layer
        raise LongtakeError(
            f"A worker built the layer {name}, but it isn't in {store.root}: mount the library at the same path on all "
            "nodes, or set library.layers to object storage."
        )
