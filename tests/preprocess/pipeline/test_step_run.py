"""One step: a layer that two processes want at once is built once."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.media.small_video import write_small_video

from longtake.config import load
from longtake.errors import Cancelled
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe, LayerStore
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.progress import Watcher
from longtake.preprocess.pipeline.step_run import run_step

RECIPE = LayerRecipe("numbers", 1, "counter")


class Numbers:
    """Stops in the middle of its layer until the other one waits for it, or overtakes it."""

    name = "numbers"
    capability = None

    def __init__(self) -> None:
        self.built = 0
        self.half_done, self.other_came = threading.Event(), threading.Event()

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        return (RECIPE,)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        self.built += 1
        writers["numbers"].add({"number": 1})
        if self.half_done.is_set():
            self.other_came.set()
        self.half_done.set()
        assert self.other_came.wait(30)
        writers["numbers"].add({"number": 2})


@pytest.mark.parametrize("patient", [True, False])
def test_who_wants_a_layer_that_is_being_built_waits_for_it(tmp_path: Path, patient: bool) -> None:
    video = write_small_video(tmp_path / "video.mp4")
    settings = load()
    step, store = Numbers(), LayerStore(tmp_path / "layers")
    checks = iter(range(3))

    def come() -> None:
        if next(checks, None) is None:  # it has waited by now
            step.other_came.set()
            if not patient:
                raise Cancelled

    def run(job: IndexJob) -> list[dict[str, int]]:
        [layer] = run_step(step, job, store, Watcher(), lambda: None) or []
        layer.check()
        return list(layer.items())

    job = IndexJob(video, probe(video), settings, EngineTable(settings))
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(run, job)
        assert step.half_done.wait(30)
        second = threads.submit(run, replace(job, check_cancelled=come))
        results = [first.result()]
        with suppress(Cancelled):
            results.append(second.result())
    assert results == [[{"number": 1}, {"number": 2}]] * (2 if patient else 1)
    assert step.built == 1
