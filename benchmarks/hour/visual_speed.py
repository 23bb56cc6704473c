"""Times the visual pass on a long video, compared with bare decoding and with other tools.

Measured on the same file and in turns:

- bare decoding: PyAV with threads, every picture, doing nothing with it;
- PySceneDetect's command line, `scenedetect -i FILE detect-content`, which only finds cuts;
- the front end of LongShOT: `ffmpeg -vf fps=5,scale=512:512` to JPEG files.

The last two together decode the file twice, for what the pass finds in one go.

By observer, the pass runs once for each layer: what a layer adds to decoding and finding shots, in seconds of one core.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from pydantic import Field

from longtake.benchmarks.hour.reel import HOUR, Notify, make_loop
from longtake.benchmarks.intervals import Spread
from longtake.benchmarks.processes import python, run
from longtake.benchmarks.timing import Comparison, Machine, load, timed
from longtake.errors import EngineError
from longtake.memory.building import build_layers
from longtake.memory.records import Record
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.media import probe
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS, VisualPass
from longtake.settings import Settings

AIM_DECODING, AIM_OTHERS = 1.3, 0.5
SHOTS = ("changes", "shots")  # which every pass finds, because the other observers need them


class PassReport(Record):
    """The public shape of `bench pass --json`; times are seconds, and each ratio is of one round."""

    machine: Machine
    video_seconds: float
    beside_decoding: Comparison
    beside_others: Comparison
    scene_detection: Spread
    sampled_pictures: Spread


def measure_pass(
    settings: Settings, media: Path, folder: Path, notify: Notify, *, seconds: float = HOUR, rounds: int = 1
) -> PassReport:
    """Time the visual pass, decoding, PySceneDetect and ffmpeg, in turn in each round.

    Raises:
        EngineError: if there is no ffmpeg, or a process fails.
    """
    ffmpeg = _ffmpeg()
    video = make_loop(media, folder, notify, seconds)
    ours = visual_pass(video.path, settings)
    work: dict[str, Callable[[], object]] = {
        "decoding": partial(decode, video.path),
        "the visual pass": ours,
        "scenedetect": partial(run, python("-m", "scenedetect", "-i", str(video.path), "detect-content"), None),
        "ffmpeg": partial(_sample_pictures, ffmpeg, video.path, folder),
    }
    before = load()
    taken: dict[str, list[float]] = {name: [] for name in work}
    for number in range(1, rounds + 1):
        for name, piece in work.items():
            notify(f"round {number} of {rounds}: {name}")
            taken[name].append(timed(piece))
    others = [scenes + pictures for scenes, pictures in zip(taken["scenedetect"], taken["ffmpeg"], strict=True)]
    return PassReport(
        machine=Machine.since(before),
        video_seconds=video.seconds,
        beside_decoding=Comparison.of(taken["the visual pass"], taken["decoding"]),
        beside_others=Comparison.of(taken["the visual pass"], others),
        scene_detection=Spread.of(taken["scenedetect"]),
        sampled_pictures=Spread.of(taken["ffmpeg"]),
    )


def show_pass(report: PassReport) -> list[str]:
    """The report as lines to print."""
    return [
        str(report.machine),
        f"one video of {report.video_seconds:g} s, 720p25 H.264; seconds as median [min, max] n=rounds",
        f"visual pass       {report.beside_decoding.seconds}",
        f"bare decoding     {report.beside_decoding.floor}",
        f"  ratio           {report.beside_decoding.ratio}, target at most {AIM_DECODING:g}",
        f"PySceneDetect     {report.scene_detection}",
        f"ffmpeg to JPEG    {report.sampled_pictures}",
        f"  ratio to both   {report.beside_others.ratio}, target at most {AIM_OTHERS:g}",
    ]


class ObserverReport(Record):
    """The public shape of `bench pass --by observer --json`; seconds of one core, each by itself."""

    machine: Machine
    video_seconds: float
    decoding: float
    shots: float = Field(description="Decoding, completing pictures shown in pieces, and finding shots.")
    added: dict[str, float] = Field(description="By each other layer to that.")
    whole: float


def measure_observers(settings: Settings, media: Path, folder: Path, notify: Notify, seconds: float) -> ObserverReport:
    """Measure the work of decoding, and of the pass with each observer alone."""
    video = make_loop(media, folder, notify, seconds)
    before = load()

    def taken(name: str, work: Callable[[], object]) -> float:
        notify(name)
        started = time.process_time()
        work()
        return time.process_time() - started

    decoding = taken("decoding", partial(decode, video.path))
    shots = taken("shots", visual_pass(video.path, settings, SHOTS))
    others = [name for name in LAYERS_OF_PASS if name not in SHOTS]
    alone = {name: taken(name, visual_pass(video.path, settings, (*SHOTS, name))) for name in others}
    return ObserverReport(
        machine=Machine.since(before),
        video_seconds=video.seconds,
        decoding=round(decoding, 2),
        shots=round(shots, 2),
        added={name: round(each - shots, 2) for name, each in alone.items()},
        whole=round(taken("all", visual_pass(video.path, settings)), 2),
    )


def show_observers(report: ObserverReport) -> list[str]:
    """The report as lines to print."""
    return [
        str(report.machine),
        f"one video of {report.video_seconds:g} s, 720p25 H.264; seconds of one core",
        f"decoding        {report.decoding:7.2f}",
        f"+ shots         {report.shots - report.decoding:7.2f}",
        *(f"+ {name:<14}{seconds:7.2f}" for name, seconds in report.added.items()),
        f"all             {report.whole:7.2f}",
    ]


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


def _sample_pictures(ffmpeg: str, video: Path, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as pictures:
        options = ["-nostdin", "-loglevel", "error", "-i", str(video), "-vf", "fps=5,scale=512:512"]
        run([ffmpeg, *options, f"{pictures}/%06d.jpg"], None)


def _ffmpeg() -> str:
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise EngineError(
            "The visual pass is compared with ffmpeg, which isn't installed: install longtake[bench], or set"
            " IMAGEIO_FFMPEG_EXE to its program."
        ) from error
