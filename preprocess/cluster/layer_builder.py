"""A process of the cluster that builds layers."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from longtake.cluster.pool import Worker
from longtake.errors import Cancelled, ConfigError
from longtake.memory.layers import LayerStore
from longtake.offline import forbid_network
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.pipeline import EMBEDDING, STEPS
from longtake.preprocess.pipeline.progress import LayerReport, Progress, Watcher
from longtake.preprocess.pipeline.step_run import run_step, unchanged
from longtake.settings import Settings

_BY_NAME = {step.name: step for step in (*STEPS, EMBEDDING)}


@dataclass(frozen=True, slots=True)
class Task:
    """A step for a worker, in names and paths, which mean the same on every node."""

    step: str
    path: Path
    store: LayerStore
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
        self._progress: Progress | None = None
        self._cancelled = False

    def build(self, task: Task) -> Done:
        """Run a step, as `run_step` does.

        Raises:
            ConfigError: if the video can't be read from here.
        """
        self._progress, self._cancelled = None, False
        if not task.path.is_file():
            where = platform.node()
            raise ConfigError(f"The node {where} can't read {task.path}. Mount that folder at the same path there.")
        store = task.store
        layers = {name: layer for name, key in task.layers.items() if (layer := store.get(name, key))}
        job = IndexJob(task.path, probe(task.path), self._settings, self._engines, layers, self._check_cancelled)
        watcher = Watcher(self._check_cancelled, self._keep)
        built = run_step(_BY_NAME[task.step], job, store, watcher, unchanged(task.path))
        return Done(None if built is None else {layer.name: layer.key for layer in built}, watcher.reports)

    def progress(self) -> Progress | None:
        """How far the step is."""
        return self._progress

    def stop(self) -> None:
        """End the step at its next frame or chunk."""
        self._cancelled = True

    def _keep(self, progress: Progress) -> None:
        self._progress = progress

    def _check_cancelled(self) -> None:
        if self._cancelled:
            raise Cancelled
