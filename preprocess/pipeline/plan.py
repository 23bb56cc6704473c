"""Plans the indexing of many files: time, cores, GPUs, memory, disk and money, from what indexing took in a library.

The work of a step grows with what it reads: pixels, seconds with a picture, seconds with sound, or the length. Its rate
is the core seconds of the library's measured videos divided by the units of all of them, whether they need the step or
not: rare and expensive videos count in a sum over many files, and a median would leave them out. Where their lengths
differ enough, each video also has a fixed part: least squares in which the variance grows with the units, of which that
quotient is the case without a fixed part. Only a video that has the step's layer and no figures of it is left out,
because its work is unknown and not zero. The workers of a cluster have one core each and take one file after the other.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from math import ceil
from typing import NamedTuple

from longtake.cluster.pool import MEMORY
from longtake.console import counted, sized
from longtake.errors import LibraryError
from longtake.memory.library import LibraryStore
from longtake.memory.records import Record
from longtake.memory.timespan import clock
from longtake.preprocess.layers.captions import Captions
from longtake.preprocess.layers.detections import Detections
from longtake.preprocess.layers.frame_vectors import FrameVectors
from longtake.preprocess.layers.scene_text import SceneText
from longtake.preprocess.layers.sounds import Sounds
from longtake.preprocess.layers.speakers import Speakers
from longtake.preprocess.layers.speech import Speech
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.media.sources import media_of
from longtake.preprocess.pipeline.estimate import measurements, runs_of
from longtake.preprocess.pipeline.library_check import size_of
from longtake.preprocess.pipeline.model_costs import ModelCost
from longtake.preprocess.visual_pass.visual_pass import VisualPass

_RANGE = 4.0  # times as much as the least that a step read of a video, from which a fixed part shows


class Extent(NamedTuple):
    """How much there is to read of a file: its length in seconds, those with a picture and with sound, and pixels."""

    seconds: float
    picture: float
    sound: float
    pixels: float


_UNITS: dict[str, Callable[[Extent], float]] = {
    VisualPass.name: lambda extent: extent.pixels,
    **dict.fromkeys((SceneText.name, FrameVectors.name, Detections.name, Captions.name), lambda extent: extent.picture),
    **dict.fromkeys((Sounds.name, Speech.name, Speakers.name), lambda extent: extent.sound),
}


class IndexPlan(Record):
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
    measured_seconds: tuple[float, float]  # of the shortest and the longest of them


def plan(
    library: LibraryStore,
    files: Sequence[MediaInfo | float],
    cores: int,
    price: float | None = None,
    models: tuple[ModelCost, ...] = (),
) -> IndexPlan:
    """Plan the indexing of files.

    Args:
        library: with videos that were indexed with the same engines and settings, by preference as long as these.
        files: each by its media facts, or by its seconds if it is like the videos of the library.
        cores: how many, each with a worker.
        price: of a core for an hour.
        models: what `model_costs` tells of these files.

    Raises:
        LibraryError: if the library has no measurement.
    """
    known = [video for video in library.videos() if video.duration > 0 and video.complete]
    runs = {video.id: runs_of(library, video) for video in known}
    told = [video for video in known if any("core_seconds" in facts for facts in runs[video.id].values())]
    measured = measurements(library, "core_seconds", told)
    if not measured:
        raise LibraryError(
            f"The library {library.root} has no figures of a completely indexed video. Index a few typical new ones, "
            "then plan again."
        )
    extents = {video.id: _extent(media_of(library, video) or video.duration) for video in told}
    typical = Extent(*map(sum, zip(*extents.values(), strict=True)))
    asked = [_extent(file, typical) for file in files]
    seconds = sum(each.seconds for each in asked)
    work = [0.0] * len(asked)
    core_hours: dict[str, float] = {}
    for step, each in measured.items():
        units = _UNITS.get(step, _seconds)
        none = [(0.0, units(extents[video.id])) for video in told if step not in runs[video.id]]
        fixed, rate = _fitted([*((value, units(extents[video])) for value, video in each), *none])
        took = [fixed + rate * units(extent) if units(extent) else 0.0 for extent in asked]
        work = [before + more for before, more in zip(work, took, strict=True)]
        core_hours[step] = sum(took) / 3600
    on_gpu = {step for steps in runs.values() for step, facts in steps.items() if facts.get("gpu")}
    share = sum(core_hours.get(step, 0.0) for step in on_gpu) / (sum(core_hours.values()) or 1.0)
    hours = _longest_queue(work, cores) / 3600
    stored = sum(size_of(library.layers(video.id).root) for video in known) + size_of(library.index_root)
    most = (facts.get("memory", 0) for steps in runs.values() for facts in steps.values())
    return IndexPlan(
        files=len(asked),
        video_hours=seconds / 3600,
        core_hours=core_hours,
        cores=cores,
        hours=hours,
        gpus=ceil(cores * share),
        memory=cores * max((MEMORY, *most)),
        disk=round(stored / sum(video.duration for video in known) * seconds),
        price=None if price is None else price * cores * hours,
        models=models,
        measured_on=len(told),
        measured_seconds=(min(video.duration for video in told), max(video.duration for video in told)),
    )


def _seconds(extent: Extent) -> float:
    return extent.seconds


def _extent(file: MediaInfo | float, typical: Extent | None = None) -> Extent:
    """How much there is to read; of a file that only its seconds are known of, as much as is typical."""
    if not isinstance(file, MediaInfo):
        return (
            Extent(*(file * part / typical.seconds for part in typical)) if typical else Extent(file, file, file, 0.0)
        )
    video, seconds = file.video, file.duration
    pixels = seconds * video.fps * video.width * video.height if video else 0.0
    return Extent(seconds, seconds if video else 0.0, seconds if file.audio else 0.0, pixels)


def _fitted(measured: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The fixed work of a video and that for each unit, from the work on videos and their units."""
    read = [(work, units) for work, units in measured if units]
    if not read:
        return 0.0, 0.0
    n, works, whole = len(read), sum(work for work, _ in read), sum(units for _, units in read)
    least, most = min(units for _, units in read), max(units for _, units in read)
    if most < _RANGE * least:
        return 0.0, works / whole
    inverse, quotients = sum(1 / units for _, units in read), sum(work / units for work, units in read)
    spread = inverse * whole - n * n
    fixed, rate = (quotients * whole - n * works) / spread, (inverse * works - n * quotients) / spread
    if rate < 0:
        return quotients / inverse, 0.0
    return (fixed, rate) if fixed > 0 else (0.0, works / whole)


def _longest_queue(works: Sequence[float], cores: int) -> float:
    """Seconds of work of the busiest core, if each takes the next file as soon as it is free."""
    queues = [0.0] * cores
    for work in works:
        heapq.heapreplace(queues, queues[0] + work)
    return max(queues)


def show_plan(found: IndexPlan) -> list[str]:
    """The plan as lines of text."""
    if not found.files:
        return ["Nothing to index."]
    work = sorted(found.core_hours.items(), key=lambda each: -each[1])
    total = sum(found.core_hours.values())
    steps = ", ".join(f"{step} {hours / total:.0%}" for step, hours in work if hours >= total / 200)
    gpus = f", {counted(found.gpus, 'GPU')}" if found.gpus else ""
    lengths = " to ".join(dict.fromkeys(map(clock, found.measured_seconds)))
    return [
        f"{found.files:,} file{'s' * (found.files != 1)}, {_hours(found.video_hours)} of video",
        f"work: {_hours(sum(found.core_hours.values()))} of one core ({steps})",
        f"time: {_hours(found.hours)} on {counted(found.cores, 'core')}{gpus}",
        f"memory: {sized(found.memory)} on all machines together, disk: {sized(found.disk)}",
        *(cost.text for cost in found.models),
        *([] if found.price is None else [f"price: {found.price:,.2f}"]),
        f"based on {counted(found.measured_on, 'indexed video')} in this library, {lengths} long",
    ]


def _hours(hours: float) -> str:
    if hours >= 1:
        return f"{hours:,.1f} hours"
    return f"{60 * hours:.1f} minutes" if 60 * hours >= 1 else f"{3600 * hours:.1f} seconds"
