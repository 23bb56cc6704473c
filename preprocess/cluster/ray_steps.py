"""Runs steps on a Ray cluster.

The process that indexes keeps the order of the steps, the records and the search index. Workers build the layers with
the same code into the same folders, so the bytes are the same, and another worker resumes from the chunks that a lost
one finished. Where the layers are on object storage, each node has its own folders, and its chunks help only itself.
"""

from __future__ import annotations

from collections.abc import Callable

from longtake.cluster.pool import Pool
from longtake.errors import ConfigError, LongtakeError
from longtake.memory.layers import Layer, LayerStore
from longtake.preprocess.cluster.layer_builder import Done, LayerBuilder, Task, wait_for_layer
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.pipeline.pipeline import ALL_STEPS
from longtake.preprocess.pipeline.progress import Progress, Watcher
from longtake.settings import Settings


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
        watcher.progress(Progress(step.name, 1.0, 0.0))
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
