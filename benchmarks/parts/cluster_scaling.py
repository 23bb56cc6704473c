"""Measures indexing on a Ray cluster of one and of two nodes with a core each, against one process with a core.

Each side indexes the same drawn clips into a library of its own, in a process that is pinned to as many cores as it may
use. All nodes are on this machine, so a network between them costs nothing here. Starting the cluster isn't counted;
starting its workers is. `longtake plan` foretells the seconds on the nodes from the library of the side without Ray.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from longtake.benchmarks.hour.reel import Notify
from longtake.benchmarks.processes import python, run
from longtake.benchmarks.timing import Machine, load
from longtake.config import load as load_settings
from longtake.errors import EngineError
from longtake.evalharness.stress.scenes import write_scenes
from longtake.memory.library import LibraryStore
from longtake.memory.records import Record
from longtake.preprocess.pipeline.plan import plan
from longtake.preprocess.pipeline.step_run import StepRunner
from longtake.preprocess.pipeline.workspace import Workspace

SEED = 640
_NODES = {"alone": 0, "one node": 1, "two nodes": 2}
_STEP_SECONDS = 2.0  # of the four steps of a drawn clip


class ClusterScaling(Record):
    """Seconds by side, from the first clip to the last."""

    machine: Machine
    clips: int
    clip_seconds: float
    seconds: dict[str, float]
    planned: dict[str, float]

    @property
    def speedup(self) -> float:
        """How many times faster two nodes are than one."""
        return self.seconds["one node"] / self.seconds["two nodes"]

    @property
    def overhead(self) -> float:
        """Seconds that a clip takes longer on one node than without Ray."""
        return (self.seconds["one node"] - self.seconds["alone"]) / self.clips


def measure_cluster(clips: int, notify: Notify) -> ClusterScaling:
    """Index `clips` drawn clips on each side.

    Raises:
        EngineError: if the machine has fewer than two cores, or a side fails.
    """
    if len(os.sched_getaffinity(0)) < 2:
        raise EngineError("Two nodes with a core each need a machine with two cores.")
    before = load()
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        notify(f"drawing {clips} clips")
        write_scenes(Path(folder) / "clips", clips, SEED, notify, _STEP_SECONDS)
        seconds = {}
        for side in _NODES:
            notify(f"indexing {side}")
            seconds[side] = float(run(python("-m", __name__, side, folder), None))
        alone = LibraryStore(_library(folder, "alone"))
        durations = [video.duration for video in alone.videos()]
        planned = {side: 3600 * plan(alone, durations, nodes).hours for side, nodes in _NODES.items() if nodes}
    return ClusterScaling(
        machine=Machine.since(before),
        clips=clips,
        clip_seconds=4 * _STEP_SECONDS,
        seconds=seconds,
        planned=planned,
    )


def show_cluster(found: ClusterScaling) -> list[str]:
    """The measurement as lines of text."""
    return [
        f"{found.clips} clips of {found.clip_seconds:g} s; {found.machine}",
        *(_line(side, seconds, found.planned.get(side)) for side, seconds in found.seconds.items()),
        f"two nodes are {found.speedup:.2f} times as fast as one",
        f"Ray costs {found.overhead:+.2f} s a clip",
    ]


def _line(side: str, seconds: float, planned: float | None) -> str:
    line = f"{side:<10} {seconds:7.1f} s"
    return line if planned is None else f"{line}, planned {planned:.1f} s ({planned / seconds - 1:+.0%})"


def _library(folder: str, side: str) -> Path:
    return Path(folder) / side.replace(" ", "-")


def main(side: str, folder: str) -> None:
    """Index the clips as one side and print the seconds."""
    nodes = _NODES[side]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: max(1, nodes)])
    settings = load_settings()
    workspace = Workspace(_library(folder, side), settings)
    videos = sorted(Path(folder, "clips").glob("*.mp4"))

    def index(runner: StepRunner | None, at_once: int) -> float:
        started = time.perf_counter()
        with ThreadPoolExecutor(at_once) as pool:
            reports = list(pool.map(lambda video: workspace.add(video, runner=runner), videos))
        if not all(report.complete for report in reports):
            raise EngineError("A clip wasn't indexed.")
        return time.perf_counter() - started

    if not nodes:
        sys.stdout.write(f"{index(None, 1)}\n")
        return
    from ray.cluster_utils import Cluster

    from longtake.cluster.pool import MEMORY
    from longtake.preprocess.cluster.ray_steps import RaySteps

    node: dict[str, Any] = {"num_cpus": 1, "memory": 2 * MEMORY, "object_store_memory": 100 << 20}
    cluster: Any = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    for _ in range(nodes - 1):
        cluster.add_node(**node)
    with RaySteps(cluster.address, settings) as steps:
        sys.stdout.write(f"{index(steps, steps.size + 1)}\n")
    cluster.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
