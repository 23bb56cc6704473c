"""Estimates the cost of a question before it is asked: the missing indexing, and the answer's budget.

The indexing time is based on past indexing in this library: per step, the median over its videos of seconds of work per
second of video.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from longtake.console import counted
from longtake.memory.library import LAYERS, LibraryStore, VideoRecord
from longtake.memory.records import Record
from longtake.memory.timespan import clock
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS, VisualPass
from longtake.remote import media_path
from longtake.settings import BudgetSettings


class VideoEstimate(Record):
    """One video: seconds of indexing by step; None if the library has no measurements, empty if indexing is done."""

    name: str
    duration: float
    indexing: dict[str, float] | None


class AnswerEstimate(Record):
    """The public shape of `ask --estimate --json`."""

    videos: tuple[VideoEstimate, ...]
    measured_on: int
    most: BudgetSettings


def estimate(workspace: Workspace, references: Sequence[str]) -> AnswerEstimate:
    """Estimate the cost of asking about these files or videos, without indexing or asking anything.

    Raises:
        LongtakeError: if one is neither a media file nor a video in the library.
    """
    library = workspace.library
    rates, videos = rates_of(library)
    return AnswerEstimate(
        videos=tuple(_estimate(library, reference, rates) for reference in references),
        measured_on=videos,
        most=workspace.settings.budget,
    )


def show_estimate(found: AnswerEstimate) -> list[str]:
    """Format the estimate as lines of text."""
    lines = []
    for video in found.videos:
        if video.indexing is None:
            what = "needs indexing first (time unknown until this library has indexed a video)"
        elif not video.indexing:
            what = "indexed"
        else:
            steps = ", ".join(f"{step} {seconds:.0f} s" for step, seconds in video.indexing.items() if seconds >= 1)
            total = sum(video.indexing.values())
            what = f"needs indexing first, about {clock(total)}" + (f" ({steps})" if steps else "")
        lines.append(f"{video.name}  {clock(video.duration)}  {what}")
    if any(video.indexing for video in found.videos):
        lines.append(f"based on {counted(found.measured_on, 'indexed video')} in this library")
    limit = found.most
    cost = f", a price of {limit.cost:g}" if limit.cost else ""
    return [*lines, f"the answer: at most {limit.rounds} rounds, {limit.seconds:g} s, {limit.tokens:,} tokens{cost}"]


def _estimate(library: LibraryStore, reference: str, rates: Mapping[str, float]) -> VideoEstimate:
    path = media_path(reference)
    known = library.find(reference)
    if known is not None and known.complete:
        return VideoEstimate(name=known.name, duration=known.duration, indexing={})
    if known is None and not path.is_file():
        known = library.resolve(reference)
    duration = known.duration if known else probe(path).duration
    done = {_step(name) for name in known.layers} if known else set()
    missing = {step: round(rate * duration, 1) for step, rate in rates.items() if step not in done}
    return VideoEstimate(name=known.name if known else path.name, duration=duration, indexing=missing or None)


def rates_of(library: LibraryStore) -> tuple[dict[str, float], int]:
    """Seconds that indexing a second of video takes, by step, and the number of videos measured."""
    videos = {video.id: video for video in library.videos() if video.duration > 0}
    measured = measurements(library, "seconds", list(videos.values()))
    rates = {step: median(value / videos[video].duration for value, video in each) for step, each in measured.items()}
    return rates, len(videos)


def measurements(library: LibraryStore, fact: str, videos: Sequence[VideoRecord]) -> dict[str, list[tuple[float, str]]]:
    """A fact of the indexing of each of these videos, with the video's id, by step.

    A resumed step records the last run alone: its chunks stand for those that were kept.
    """
    measured: dict[str, list[tuple[float, str]]] = {_step(name): [] for name in LAYERS}
    for video in videos:
        for step, facts in runs_of(library, video).items():
            made, kept = facts.get("chunks_made", 0), facts.get("chunks_reused", 0)
            if fact in facts and (made or not kept):
                measured[step].append((facts[fact] * ((made + kept) / made if made else 1), video.id))
    return {step: each for step, each in measured.items() if each}


def runs_of(library: LibraryStore, video: VideoRecord) -> dict[str, dict[str, Any]]:
    """The facts of a video's indexing by step; every layer of the visual pass records those of the whole pass."""
    store = library.layers(video.id)
    return {_step(name): store.run(name, key) for name, key in video.layers.items()}


def _step(layer: str) -> str:
    return VisualPass.name if layer in LAYERS_OF_PASS else layer
