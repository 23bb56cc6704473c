"""Runs steps on a Ray cluster.

The process that indexes keeps the order of the steps, the records and the search index. Workers build the layers with
the same code into the same folders, so the bytes are the same, and another worker resumes from the chunks that a lost
one finished.
"""

from __future__ import annotations

from collections.abc import Callable

from longtake.cluster.pool import Pool
from longtake.memory.layers import Layer, LayerStore
from longtake.preprocess.cluster.layer_builder import Done, LayerBuilder, Task
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.pipeline.pipeline import EMBEDDING, STEPS
from longtake.preprocess.pipeline.progress import Watcher
from longtake.settings import Settings


class RaySteps(Pool):
    """The workers of a cluster. Call it as `run_step`, from as many threads as it has workers."""

    def __init__(self, address: str | None, settings: Settings) -> None:
        """See `Pool`."""
        engines = EngineTable(settings)
        gpu = any(step.capability and engines.on_gpu(step.capability) for step in (*STEPS, EMBEDDING))
        super().__init__(address, LayerBuilder, settings, gpu=gpu)

    def __call__(
        self, step: Step, job: IndexJob, store: LayerStore, watcher: Watcher, check_source: Callable[[], None]
    ) -> list[Layer] | None:
        """As `run_step`, on a worker; if that is lost, the next one resumes from its chunks.

        Raises:
            LongtakeError: if one worker after the other is lost.
        """
        task = Task(step.name, job.path.resolve(), store, {name: layer.key for name, layer in job.layers.items()})
        done: Done = self.run(
            f"{step.name} of {job.path}",
            "build",
            task,
            check=watcher.check_cancelled,
            advance=watcher.progress,
            gpu=step.capability is not None and job.engines.on_gpu(step.capability),
        )
        check_source()
        watcher.reports.extend(done.reports)
        if done.layers is None:
            return None
        return [layer for name, key in done.layers.items() if (layer := store.get(name, key))]
