"""Measures indexing on a Ray cluster of one and of two nodes with a core each, against one process with a core.

Each side indexes the same drawn clips into a library of its own, in a process that is pinned to as many cores as it may
use. All nodes are on this machine, so a network between them costs nothing here. Starting the cluster isn't counted;
starting its workers is. `longtake plan` foretells the seconds on the nodes from the library of the side without Ray.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.benchmarks.processes import python, run
from longtake.benchmarks.reports import Notify, Report, timed
from longtake.config import load
from longtake.errors import EngineError
from longtake.evalharness.stress.scenes import write_scenes
from longtake.memory.library import LibraryStore
from longtake.memory.records import Record
from longtake.preprocess.pipeline.plan import plan
from longtake.preprocess.pipeline.step_run import StepRunner
from longtake.preprocess.pipeline.workspace import Workspace

SEED = 640
_NODES: Mapping[str, int] = {"alone": 0, "one-node": 1, "two-nodes": 2}
_STEP_SECONDS = 2.0  # of the four steps of a drawn clip


class Side(Record):
    """Seconds from the first clip to the last, and those that were planned."""

    seconds: float
    planned: float | None


class ClusterScaling(Report):
    """`speedup` is how many times faster two nodes are than one, `overhead` what Ray costs in seconds a clip."""

    clips: int
    clip_seconds: float
    sides: dict[str, Side]
    speedup: float
    overhead: float


def measure_cluster(
    notify: Notify,
    clips: Annotated[int, typer.Option(min=2, help="Drawn clips of eight seconds.")] = 64,
) -> ClusterScaling:
    """Index clips on a Ray cluster of one and of two nodes on this machine, and without Ray; needs the extra `ray`."""
    if len(os.sched_getaffinity(0)) < 2:
        raise EngineError("Two nodes with a core each need a machine with two cores.")
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        notify(f"drawing {clips} clips")
        write_scenes(Path(folder) / "clips", clips, SEED, notify, _STEP_SECONDS)
        seconds = {}
        for side in _NODES:
            notify(f"indexing {side}")
            seconds[side] = float(run(python("-m", __name__, side, folder), None))
        library = LibraryStore(Path(folder) / "alone")
        lengths = [video.duration for video in library.videos()]
        planned = {side: 3600 * plan(library, lengths, nodes).hours for side, nodes in _NODES.items() if nodes}
    return ClusterScaling(
        clips=clips,
        clip_seconds=4 * _STEP_SECONDS,
        sides={side: Side(seconds=taken, planned=planned.get(side)) for side, taken in seconds.items()},
        speedup=seconds["one-node"] / seconds["two-nodes"],
        overhead=(seconds["one-node"] - seconds["alone"]) / clips,
    )


def main(side: str, folder: str) -> None:
    """Index the clips as one side and print the seconds."""
    nodes = _NODES[side]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: max(1, nodes)])
    settings = load()
    workspace = Workspace(Path(folder) / side, settings)
    videos = sorted(Path(folder, "clips").glob("*.mp4"))
    runner: StepRunner | None = None
    with ExitStack() as until_done, ThreadPoolExecutor(nodes + 1) as pool:
        if nodes:
            from ray.cluster_utils import Cluster

            from longtake.cluster.pool import MEMORY
            from longtake.preprocess.cluster.ray_steps import RaySteps

            node: dict[str, Any] = {"num_cpus": 1, "memory": 2 * MEMORY, "object_store_memory": 100 << 20}
            cluster: Any = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
            until_done.callback(cluster.shutdown)
            for _ in range(nodes - 1):
                cluster.add_node(**node)
            runner = until_done.enter_context(RaySteps(cluster.address, settings))

        def index() -> None:
            reports = list(pool.map(lambda video: workspace.add(video, runner=runner), videos))
            if not all(report.complete for report in reports):
                raise EngineError("A clip wasn't indexed.")

        sys.stdout.write(f"{timed(index)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
