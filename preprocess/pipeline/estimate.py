"""What a question will take, before it is asked: the indexing that is missing, and the most that the answer may spend.

The time of indexing is told from what indexing took in this library: seconds of work for each second of video, step by
step, the median over its videos.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from longtake.config import BudgetSettings
from longtake.memory.library import LAYERS, Library, VideoRecord
from longtake.memory.records import Record
from longtake.memory.timespan import clock
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS, VisualPass


class VideoEstimate(Record):
    """One video: seconds of indexing by step; None where the library has never measured any, empty where it is done."""

    name: str
    duration: float
    indexing: dict[str, float] | None


class Estimate(Record):
    """The public shape of `ask --estimate --json`."""

    videos: tuple[VideoEstimate, ...]
    measured_on: int
    most: BudgetSettings


def estimate(workspace: Workspace, references: Sequence[str]) -> Estimate:
    """What asking about these files or videos will take; nothing is indexed or asked.

    Raises:
        LongtakeError: when one is neither a media file nor a video of the library.
    """
    library = workspace.library
    rates, videos = _rates(library)
    return Estimate(
        videos=tuple(_estimate(library, reference, rates) for reference in references),
        measured_on=videos,
        most=workspace.settings.budget,
    )


def show_estimate(found: Estimate) -> list[str]:
    """The estimate for a person."""
    lines = []
    for video in found.videos:
        if video.indexing is None:
            what = "to be indexed first; how long that takes is known once a video has been indexed here"
        elif not video.indexing:
            what = "indexed"
        else:
            steps = ", ".join(f"{step} {seconds:.0f} s" for step, seconds in video.indexing.items() if seconds >= 1)
            total = sum(video.indexing.values())
            what = f"to be indexed first, in about {clock(total)}" + (f" ({steps})" if steps else "")
        lines.append(f"{video.name}  {clock(video.duration)}  {what}")
    if any(video.indexing for video in found.videos):
        lines.append(f"as indexing took on {found.measured_on} videos of this library")
    most = found.most
    cost = f", {most.cost:g} in cost" if most.cost else ""
    return [*lines, f"the answer: at most {most.rounds} rounds, {most.seconds:g} s, {most.tokens:,} tokens{cost}"]


def _estimate(library: Library, reference: str, rates: Mapping[str, float]) -> VideoEstimate:
    path = Path(reference).expanduser()
    known = library.find(reference)
    if known is not None and known.complete:
        return VideoEstimate(name=known.name, duration=known.duration, indexing={})
    if known is None and not path.is_file():
        known = library.resolve(reference)
    duration = known.duration if known else probe(path).duration
    done = {_step(name) for name in known.layers} if known else set()
    missing = {step: round(rate * duration, 1) for step, rate in rates.items() if step not in done}
    return VideoEstimate(name=known.name if known else path.name, duration=duration, indexing=missing or None)


def _rates(library: Library) -> tuple[dict[str, float], int]:
    """Seconds of work for each second of video, by step, and on how many videos they were measured."""
    measured: dict[str, list[float]] = defaultdict(list)
    videos = [video for video in library.videos() if video.duration > 0]
    for video in videos:
        for step, seconds in _seconds(library, video).items():
            measured[step].append(seconds / video.duration)
    steps = dict.fromkeys(_step(name) for name in LAYERS)
    return {step: median(measured[step]) for step in steps if measured[step]}, len(videos)


def _seconds(library: Library, video: VideoRecord) -> dict[str, float]:
    """What each step took; the layers of one pass all tell the whole pass."""
    store = library.layers(video.id)
    runs = {_step(name): store.run(name, key) for name, key in video.layers.items()}
    return {step: facts["seconds"] for step, facts in runs.items() if "seconds" in facts}


def _step(layer: str) -> str:
    return VisualPass.name if layer in LAYERS_OF_PASS else layer
