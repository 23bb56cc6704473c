"""Runs one step: reuses existing layers, builds missing and damaged ones and reports failures."""

from __future__ import annotations

import logging
import os
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Protocol

from longtake.errors import DISK_FULL, Cancelled, EngineUnavailable, LibraryUnavailable, LongtakeError
from longtake.memory.building import Chunks, alone, build_layers
from longtake.memory.layers import Layer, LayerRecipe, LayerStore
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.pipeline.progress import LayerReport, Stopwatch, Watcher

_PROC = Path("/proc")


def core_seconds() -> float:
    """Seconds of processor time, of all threads."""
    ticks = os.sysconf("SC_CLK_TCK")
    # The command, in parentheses, may hold spaces; user and system time are the 14th and 15th value.
    values = (stat.rpartition(")")[2].split() for stat in _children("stat"))
    return time.process_time() + sum((int(each[11]) + int(each[12])) / ticks for each in values)


def most_memory() -> int:
    """Bytes: the sum of the most that each process has had resident."""
    lines = (line for status in _children("status") for line in status.splitlines() if line.startswith("VmHWM"))
    return 1024 * (getrusage(RUSAGE_SELF).ru_maxrss + sum(int(line.split()[1]) for line in lines))


def _children(file: str) -> list[str]:
    """The contents of a file in `/proc` of each engine process that runs."""
    found = (_PROC / str(child.pid) / file for child in active_children())
    return [path.read_text(encoding="ascii", errors="replace") for path in found if path.exists()]


log = logging.getLogger(__name__)
_GPU = Path("/dev/nvidia0")


class StepRunner(Protocol):
    """Runs one step, here or elsewhere; see `run_step`."""

    def __call__(
        self, step: Step, job: IndexJob, store: LayerStore, watcher: Watcher, check_source: Callable[[], None]
    ) -> list[Layer] | None:
        """As `run_step`."""
        ...


class SourceChanged(LongtakeError):
    """The file changed after it was opened, so nothing just read from it can be kept."""


def unchanged(path: Path) -> Callable[[], None]:
    """A check that a file is as it is now; it raises `SourceChanged` otherwise."""
    before = path.stat()

    def check() -> None:
        with suppress(OSError):
            now = path.stat()
            if (now.st_size, now.st_mtime_ns) == (before.st_size, before.st_mtime_ns):
                return
        event = "changed" if path.exists() else "was removed"
        raise SourceChanged(
            f"{path} {event} while it was being read: index it again once the file is complete; "
            "earlier finished work is kept."
        )

    return check


def run_step(
    step: Step, job: IndexJob, store: LayerStore, watcher: Watcher, check_source: Callable[[], None]
) -> list[Layer] | None:
    """The layers of a step, built if missing; None if the step failed or has no engine.

    The watcher receives a report on each layer.

    Args:
        step: the step.
        job: its inputs.
        store: the layers of the video.
        watcher: follows and stops the work.
        check_source: raises `SourceChanged` if the file has changed.

    Raises:
        Cancelled: if the watcher stops the work; finished chunks are kept.
        SourceChanged: if the file changed meanwhile; the chunks are deleted.
        OSError: if the disk is full; finished chunks are kept.
        LibraryUnavailable: if the object storage that holds the layers can't be used; the layers built are kept.
    """
    job.check_cancelled()
    try:
        recipes = step.recipes(job)
        existing, missing = _sound_layers(store, recipes)
        with alone(store.root, job.check_cancelled) if missing else nullcontext():
            if missing:  # unless another process built them meanwhile
                existing, missing = _sound_layers(store, recipes)
            watcher.reports.extend(_report(store, layer, reused=True) for layer in existing)
            built = _build(step, job, store, missing, watcher, check_source) if missing else []
        for layer in existing + built:
            store.share(layer, built=layer in built)
        return existing + built
    except (Cancelled, SourceChanged, LibraryUnavailable):
        raise
    except EngineUnavailable as error:
        watcher.reports.append(LayerReport(step.name, unavailable=str(error)))
        return None
    except LongtakeError as error:
        problem = str(error)
    except Exception as error:
        # Steps run engines and decoders on arbitrary files: a crash must cost only this layer.
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            raise
        log.debug("step %s crashed", step.name, exc_info=True)
        problem = f"{step.name} crashed ({type(error).__name__}: {error}). Run again with --debug for details."
    watcher.reports.append(LayerReport(step.name, problem=problem))
    return None


def _sound_layers(store: LayerStore, recipes: Sequence[LayerRecipe]) -> tuple[list[Layer], list[LayerRecipe]]:
    """The sound layers of these recipes, and the recipes that have none."""
    found = [(recipe, store.sound(recipe.name, recipe.key)) for recipe in recipes]
    return [layer for _, layer in found if layer], [recipe for recipe, layer in found if layer is None]


def _build(
    step: Step,
    job: IndexJob,
    store: LayerStore,
    recipes: Sequence[LayerRecipe],
    watcher: Watcher,
    check_source: Callable[[], None],
) -> list[Layer]:
    started, worked = time.perf_counter(), core_seconds()
    stopwatch = Stopwatch(step.name)
    left_out: list[str] = []
    remarks: list[str] = []
    with build_layers(store.root, recipes) as building:
        following = replace(
            job,
            chunks=building.chunks,
            progress=lambda share: watcher.progress(stopwatch.at(share)),
            warn=left_out.append,
            remark=remarks.append,
        )
        try:
            step.build(following, building.writers)
            following.progress(1.0)
        finally:
            try:
                check_source()
            except SourceChanged:
                building.discard()
                raise
    facts = _run_facts(building.chunks, time.perf_counter() - started, core_seconds() - worked, left_out)
    facts["remarks"] = remarks
    facts["gpu"] = bool(step.capability and _GPU.exists() and job.engines.on_gpu(step.capability))
    built = [layer for recipe in recipes if (layer := store.get(recipe.name, recipe.key))]
    for layer in built:
        store.record_run(layer.name, layer.key, facts)
        watcher.reports.append(_report(store, layer, reused=False))
    return built


def _report(store: LayerStore, layer: Layer, *, reused: bool) -> LayerReport:
    facts = store.run(layer.name, layer.key)
    seconds = 0.0 if reused else facts.get("seconds", 0.0)
    return LayerReport(layer.name, layer.engine, layer.key, layer.count, seconds, reused, left_out=layer.told())


def _run_facts(chunks: Chunks, seconds: float, worked: float, left_out: Sequence[str]) -> dict[str, object]:
    return {
        "seconds": round(seconds, 3),
        "core_seconds": round(worked, 3),
        "memory": most_memory(),
        "left_out": list(left_out),
        "chunks_made": len(chunks.made),
        "chunks_reused": len(chunks.reused),
        "machine": platform.platform(),
        "python": platform.python_version(),
        "finished": round(time.time(), 3),
    }
