"""Plans the indexing of many files: time, cores, GPUs, memory, disk and money, from what indexing took in a library.

Per step, the rate is the core seconds of the library's measured videos divided by the seconds of all of them, whether
they need the step or not: rare and expensive videos count in a sum over many files, and a median would leave them out.
Only a video that has the step's layer and no figures of it is left out, because its work is unknown and not zero.
The workers of a cluster have one core each and take one file after the other.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from math import ceil

from longtake.cluster.pool import MEMORY
from longtake.console import counted, sized
from longtake.errors import LibraryError
from longtake.memory.library import Library
from longtake.memory.records import Record
from longtake.preprocess.pipeline.estimate import measurements, runs_of
from longtake.preprocess.pipeline.library_check import size_of
from longtake.preprocess.pipeline.model_costs import ModelCost


class Plan(Record):
    """The public shape of `plan --json`."""

    files: int
    video_hours: float
    core_hours: dict[str, float]  # by step
    cores: int
    hours: float  # from start to end
    gpus: int  # to keep the cores busy; 0 if the rates were measured without one
    memory: int  # bytes, of all workers, each of which gets at least what Ray reserves for it
    disk: int  # bytes that the library grows by
    price: float | None  # of all cores from start to end
    models: tuple[ModelCost, ...]  # what language and vision models are asked
    measured_on: int  # videos with figures


def plan(
    library: Library,
    durations: Sequence[float],
    cores: int,
    price: float | None = None,
    models: tuple[ModelCost, ...] = (),
) -> Plan:
    """Plan the indexing of files with these durations in seconds.

    Args:
        library: with videos that were indexed with the same engines and settings, by preference as long as these.
        durations: of the files, in seconds.
        cores: how many, each with a worker.
        price: of a core for an hour.
        models: what `model_costs` tells of these files.

    Raises:
        LibraryError: if the library has no measurement.
    """
    known = [video for video in library.videos() if video.duration > 0 and video.complete]
    measured = measurements(library, "core_seconds", known)
    if not measured:
        raise LibraryError(
            f"The library {library.root} has no figures of a completely indexed video. Index a few typical new ones, "
            "then plan again."
        )
    seconds = sum(durations)
    runs = [runs_of(library, video) for video in known]
    told = [
        (video, steps)
        for video, steps in zip(known, runs, strict=True)
        if any("core_seconds" in facts for facts in steps.values())
    ]
    rates = {}
    for step, each in measured.items():
        without = sum(video.duration for video, steps in told if step not in steps)
        rates[step] = sum(work for work, _ in each) / (sum(length for _, length in each) + without)
    core_hours = {step: rate * seconds / 3600 for step, rate in rates.items()}
    on_gpu = {step for steps in runs for step, facts in steps.items() if facts.get("gpu")}
    share = sum(rates.get(step, 0.0) for step in on_gpu) / (sum(rates.values()) or 1.0)
    hours = sum(rates.values()) * _longest_queue(durations, cores) / 3600
    stored = sum(size_of(library.layers(video.id).root) for video in known) + size_of(library.index_root)
    return Plan(
        files=len(durations),
        video_hours=seconds / 3600,
        core_hours=core_hours,
        cores=cores,
        hours=hours,
        gpus=ceil(cores * share),
        memory=cores * max((MEMORY, *(facts.get("memory", 0) for steps in runs for facts in steps.values()))),
        disk=round(stored / sum(video.duration for video in known) * seconds),
        price=None if price is None else price * cores * hours,
        models=models,
        measured_on=len(told),
    )


def _longest_queue(durations: Sequence[float], cores: int) -> float:
    """Seconds of video of the busiest core, if each takes the next file as soon as it is free."""
    queues = [0.0] * cores
    for duration in durations:
        heapq.heapreplace(queues, queues[0] + duration)
    return max(queues)


def show_plan(found: Plan) -> list[str]:
    """The plan as lines of text."""
    if not found.files:
        return ["Nothing to index."]
    work = sorted(found.core_hours.items(), key=lambda each: -each[1])
    total = sum(found.core_hours.values())
    steps = ", ".join(f"{step} {hours / total:.0%}" for step, hours in work if hours >= total / 200)
    gpus = f", {counted(found.gpus, 'GPU')}" if found.gpus else ""
    return [
        f"{found.files:,} file{'s' * (found.files != 1)}, {_hours(found.video_hours)} of video",
        f"work: {_hours(sum(found.core_hours.values()))} of one core ({steps})",
        f"time: {_hours(found.hours)} on {counted(found.cores, 'core')}{gpus}",
        f"memory: {sized(found.memory)} on all machines together, disk: {sized(found.disk)}",
        *(cost.text for cost in found.models),
        *([] if found.price is None else [f"price: {found.price:,.2f}"]),
        f"based on {counted(found.measured_on, 'indexed video')} in this library",
    ]


def _hours(hours: float) -> str:
    if hours >= 1:
        return f"{hours:,.1f} hours"
    return f"{60 * hours:.1f} minutes" if 60 * hours >= 1 else f"{3600 * hours:.1f} seconds"
