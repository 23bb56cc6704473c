"""Times the visual pass on a long video, in turns with bare decoding of the same file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from longtake.benchmarks.hour.reel import HOUR, WORK, Seconds, Work, make_loop
from longtake.benchmarks.reports import Media, Notify, Report, Rounds, Spread, timed
from longtake.cli.options import ensure_folder
from longtake.console import Session
from longtake.memory.building import build_layers
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.media import probe
from longtake.preprocess.visual_pass.visual_pass import VisualPass
from longtake.settings import Settings


class PassReport(Report):
    """Seconds of both, and the ratio round by round, which should be at most 1.3."""

    video_seconds: float
    visual_pass: Spread
    decoding: Spread
    times_decoding: Spread


def measure_pass(
    session: Session, notify: Notify, media: Media, seconds: Seconds = HOUR, rounds: Rounds = 1, work: Work = WORK
) -> PassReport:
    """Time the visual pass over an hour made of the clips, against bare decoding; needs the extra `bench`."""
    video = make_loop(media, ensure_folder(work), notify, seconds)
    ours, floor = visual_pass(video.path, session.settings), partial(decode, video.path)
    pairs = []
    for number in range(rounds):
        notify(f"round {number + 1} of {rounds}")
        pairs.append((timed(floor), timed(ours)))
    return PassReport(
        video_seconds=video.seconds,
        visual_pass=Spread.of([each for _, each in pairs]),
        decoding=Spread.of([each for each, _ in pairs]),
        times_decoding=Spread.of([each / bare for bare, each in pairs]),
    )


def decode(path: Path) -> int:
    """Decode every picture of a file, do nothing with it, and return the number of pictures."""
    with open_media(path) as container:
        container.streams.video[0].thread_type = "AUTO"
        return sum(1 for _ in container.decode(video=0))


def visual_pass(video: Path, settings: Settings) -> Callable[[], None]:
    """A function that runs the visual pass over a video into a temporary folder."""
    step = VisualPass()
    job = IndexJob(video, probe(video), settings, EngineTable(settings))
    recipes = step.recipes(job)

    def build() -> None:
        with (
            tempfile.TemporaryDirectory(prefix="longtake-bench-") as fresh,
            build_layers(Path(fresh), recipes) as building,
        ):
            step.build(replace(job, chunks=building.chunks), building.writers)

    return build
