"""Times each edit of a video, and each analysis that looks for edits, against bare decoding of the same clip."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple, get_args

import typer

from longtake.benchmarks.hour.visual_speed import decode
from longtake.benchmarks.reports import Notify, Report, Rounds, Spread, timed
from longtake.evalharness.edits.edit import EditPlan, Piece, Source
from longtake.evalharness.edits.edit_table import EDITS, edit_named
from longtake.evalharness.edits.rendering import make_edit, render
from longtake.memory.records import Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.frame_measures import measure
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.fused_frames import Mode, fuse_frames
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.sound_direction import sound_direction
from longtake.preprocess.media.whole_frames import read_whole_frames

_SECONDS = 4.0
# Parameters without a default, as far as edits have some.
_GIVEN: Mapping[str, Mapping[str, object]] = {"gap": {"start": 0.5, "end": 1.0}}


class FrameSpeed(Record):
    """Frames a second of one part, and how many times bare decoding a frame takes."""

    name: str
    frames: int
    per_second: Spread
    times_decoding: Spread


class PerturbationSpeed(Report):
    """An edit is made, checked and counted in frames of the new video."""

    clip: str
    decoding: Spread
    edits: tuple[FrameSpeed, ...]
    analyses: tuple[FrameSpeed, ...]


class _Clip(NamedTuple):
    """The clip that everything works on: its file, its span, its number of frames."""

    file: Path
    span: TimeSpan
    frames: int


def measure_perturbations(
    notify: Notify,
    video: Annotated[
        Path | None, typer.Option(help="Video to edit; the demo by default.", exists=True, dir_okay=False)
    ] = None,
    rounds: Rounds = 3,
) -> PerturbationSpeed:
    """Time each edit of four seconds, and each analysis that looks for edits, in turns with bare decoding of them."""
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        video = video or make_demo(Path(folder))
        clip = _cut(video, Path(folder) / "clip.mp4")
        floors: list[float] = []
        edits: list[FrameSpeed] = []
        for name in EDITS:
            notify(f"edit: {name}")
            out = Path(folder) / f"{name}.mkv"
            edits.append(_timed(name, partial(_make, name, clip, out), clip, rounds, floors, partial(_frames, out)))
            out.unlink()
        analyses: list[FrameSpeed] = []
        for name, work in _analyses(clip).items():
            notify(f"analysis: {name}")
            analyses.append(_timed(name, work, clip, rounds, floors, lambda: clip.frames))
        stream = probe(clip.file).video
    size = f"{stream.width} x {stream.height}, {stream.fps:g} frames a second" if stream else ""
    return PerturbationSpeed(
        clip=f"{clip.frames} frames of {video.name}, {size}",
        decoding=Spread.of([clip.frames / seconds for seconds in floors]),
        edits=tuple(edits),
        analyses=tuple(analyses),
    )


def _cut(video: Path, out: Path) -> _Clip:
    source = Source(video, probe(video))
    end = min(_SECONDS, source.seconds)
    render(EditPlan((Piece(start=0.0, end=end),), ()), [source], out, lambda: None)
    return _Clip(out, TimeSpan(start=0.0, end=end), _frames(out))


def _frames(file: Path) -> int:
    return sum(1 for _ in read_frames(file, probe(file), None, lambda: None))


def _make(name: str, clip: _Clip, out: Path) -> None:
    edit = edit_named(name, _GIVEN.get(name, {}))
    make_edit(edit, name, [clip.file] * edit.sources, out, 0, lambda: None)


def _timed(
    name: str,
    work: Callable[[], object],
    clip: _Clip,
    rounds: int,
    floors: list[float],
    frames: Callable[[], int],
) -> FrameSpeed:
    """Time a part in turn with bare decoding, whose seconds are added to `floors`; `frames` counts what it made."""
    pairs = [(timed(partial(decode, clip.file)), timed(work)) for _ in range(rounds)]
    floors += [floor for floor, _ in pairs]
    count = frames()
    return FrameSpeed(
        name=name,
        frames=count,
        per_second=Spread.of([count / ours for _, ours in pairs]),
        times_decoding=Spread.of([ours / count / (floor / clip.frames) for floor, ours in pairs]),
    )


def _analyses(clip: _Clip) -> dict[str, Callable[[], object]]:
    """What `inspect_motion` and `integrate_frames` do on every frame."""
    path, media = clip.file, probe(clip.file)
    return {
        "decode and measure": lambda: list(map(measure, read_whole_frames(path, media, clip.span, lambda: None))),
        "direction of sound": partial(sound_direction, path, media, clip.span, lambda: None),
        **{
            f"decode and fuse: {mode}": partial(fuse_frames, path, media, clip.span, mode, lambda: None)
            for mode in get_args(Mode)
        },
    }
