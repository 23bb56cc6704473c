"""Times the visual pass on a long video: beside bare decoding, beside other tools, or observer by observer.

The other tools decode the file twice for what the pass finds in one go: PySceneDetect finds cuts, and the front end of
LongShOT takes pictures with `ffmpeg -vf fps=5,scale=512:512`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import Field

from longtake.benchmarks.hour.reel import HOUR, WORK, Seconds, Work, ffmpeg, make_loop
from longtake.benchmarks.processes import python, run
from longtake.benchmarks.reports import Media, Notify, Report, Rounds, Spread, timed
from longtake.cli.options import ensure_folder
from longtake.console import Session
from longtake.memory.building import build_layers
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.media import probe
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS, VisualPass
from longtake.settings import Settings

SHOTS = ("changes", "shots")  # which every pass finds, because the other observers need them
Beside = Annotated[
    Literal["decoding", "tools", "observers"],
    typer.Option(help="Bare decoding, PySceneDetect and ffmpeg together, or the work of each observer."),
]


class PassReport(Report):
    """Seconds of both, and the ratio round by round: at most 1.3 of decoding and 0.45 of other tools are aimed at."""

    video_seconds: float
    visual_pass: Spread
    beside: Spread
    ratio: Spread


class ObserverReport(Report):
    """Seconds of one core, each by itself."""

    video_seconds: float
    decoding: float
    shots: float = Field(description="Decoding, completing pictures shown in pieces, and finding shots.")
    added: dict[str, float] = Field(description="By each other layer to that.")
    whole: float


def measure_pass(
    session: Session,
    notify: Notify,
    media: Media,
    seconds: Seconds = HOUR,
    rounds: Rounds = 1,
    beside: Beside = "decoding",
    work: Work = WORK,
) -> PassReport | ObserverReport:
    """Time the visual pass over an hour made of the clips, beside other work; needs the extra `bench`."""
    folder = ensure_folder(work)
    video = make_loop(media, folder, notify, seconds)
    if beside == "observers":
        return _by_observer(video.path, video.seconds, session.settings, notify)
    ours = visual_pass(video.path, session.settings)
    floor = partial(decode, video.path) if beside == "decoding" else partial(_other_tools, video.path, folder)
    pairs = []
    for number in range(rounds):
        notify(f"round {number + 1} of {rounds}")
        pairs.append((timed(floor), timed(ours)))
    return PassReport(
        video_seconds=video.seconds,
        visual_pass=Spread.of([each for _, each in pairs]),
        beside=Spread.of([each for each, _ in pairs]),
        ratio=Spread.of([each / other for other, each in pairs]),
    )


def _by_observer(video: Path, seconds: float, settings: Settings, notify: Notify) -> ObserverReport:
    def taken(name: str, work: Callable[[], object]) -> float:
        notify(name)
        started = time.process_time()
        work()
        return time.process_time() - started

    decoding = taken("decoding", partial(decode, video))
    shots = taken("shots", visual_pass(video, settings, SHOTS))
    others = [name for name in LAYERS_OF_PASS if name not in SHOTS]
    alone = {name: taken(name, visual_pass(video, settings, (*SHOTS, name))) for name in others}
    return ObserverReport(
        video_seconds=seconds,
        decoding=round(decoding, 2),
        shots=round(shots, 2),
        added={name: round(each - shots, 2) for name, each in alone.items()},
        whole=round(taken("all", visual_pass(video, settings)), 2),
    )


def _other_tools(video: Path, folder: Path) -> None:
    run(python("-m", "scenedetect", "-i", str(video), "detect-content"), None)
    with tempfile.TemporaryDirectory(dir=folder) as pictures:
        ffmpeg("-i", video, "-vf", "fps=5,scale=512:512", f"{pictures}/%06d.jpg")


def decode(path: Path) -> int:
    """Decode every picture of a file, do nothing with it, and return the number of pictures."""
    with open_media(path) as container:
        container.streams.video[0].thread_type = "AUTO"
        return sum(1 for _ in container.decode(video=0))


def visual_pass(video: Path, settings: Settings, layers: Collection[str] = LAYERS_OF_PASS) -> Callable[[], None]:
    """A function that runs the visual pass over a video, for some of its layers, into a temporary folder."""
    step = VisualPass()
    job = IndexJob(video, probe(video), settings, EngineTable(settings))
    recipes = tuple(recipe for recipe in step.recipes(job) if recipe.name in layers)

    def build() -> None:
        with (
            tempfile.TemporaryDirectory(prefix="longtake-bench-") as fresh,
            build_layers(Path(fresh), recipes) as building,
        ):
            step.build(replace(job, chunks=building.chunks), building.writers)

    return build
