"""Makes the long videos for benchmarks from real clips, with the slides of the demo video between them.

ffmpeg encodes each clip and slide once, all alike, and joins them packet by packet, so a second video is made quickly.
The clips' words go into one `.vtt` next to the video.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle
from math import ceil
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from longtake.benchmarks.clips.transcripts import transcript
from longtake.benchmarks.processes import run
from longtake.benchmarks.reports import Notify
from longtake.errors import EngineError, MediaError
from longtake.exports.transcript import TimedLine, rendered
from longtake.memory.layers import content_key
from longtake.memory.library import file_id
from longtake.preprocess.demo.demo_script import load_script
from longtake.preprocess.demo.slides import pictures
from longtake.preprocess.media.cues import Cue
from longtake.preprocess.media.media import probe

Seconds = Annotated[float, typer.Option(min=10, help="Length of the video made of the clips.")]
Work = Annotated[Path, typer.Option(help="Keeps the encoded clips and long videos, so that later runs are quick.")]
HOUR, WORK = 3600.0, Path(tempfile.gettempdir()) / "longtake-bench"
_PICTURES = (".mp4", ".mkv", ".mov", ".webm", ".avi")
_SOUNDS = (".mp3", ".wav", ".flac", ".m4a", ".ogg")
_STILL = ".png"
_FPS, _WIDTH, _HEIGHT = 25, 1280, 720
_SLIDE = 5.0  # seconds for which a slide is shown
_FITTED = (
    f"fps={_FPS},scale={_WIDTH}:{_HEIGHT}:force_original_aspect_ratio=decrease:force_divisible_by=2,"
    f"pad={_WIDTH}:{_HEIGHT}:-1:-1,setsar=1,format=yuv420p,tpad=stop=-1:stop_mode=clone"
)
# The fast preset is also fast to decode, which keeps the bare decoding, the baseline, fast. FLAC has no padding.
_CODED = (
    "-c:v",
    "libx264",
    "-preset",
    "veryfast",
    "-threads",
    "2",
    "-c:a",
    "flac",
    "-sample_fmt",
    "s16",
    "-ar",
    "48000",
    "-ac",
    "1",
)
_SILENCE = ("-f", "lavfi", "-i", "anullsrc=r=48000:cl=mono")
_GROUND = ("-f", "lavfi", "-i", f"color=c=0x202020:s={_WIDTH}x{_HEIGHT}:r={_FPS}")


class Reel(NamedTuple):
    """A long video, and its seconds."""

    path: Path
    seconds: float


def make_loop(media: Path, folder: Path, notify: Notify, seconds: float = HOUR) -> Reel:
    """Write `loop-SECONDS.mkv`: the clips of a folder with a slide after each, repeated until it is full.

    Clips are all files with a picture, and those with sound and a transcript.

    Raises:
        MediaError: if no clip in the folder fits.
        EngineError: if there is no ffmpeg, or it fails.
    """
    lengths = {clip: ceil(_FPS * probe(clip).duration) / _FPS for clip in _clips(media)}
    target, segments = folder / f"loop-{round(seconds)}.mkv", folder / "segments"
    segments.mkdir(parents=True, exist_ok=True)
    slides = cycle(_slides(segments))
    parts: list[Path] = []
    cues: list[TimedLine] = []
    at = 0.0

    def fits(clip: Path) -> bool:
        return at + lengths[clip] + _SLIDE <= seconds

    def add_slide(length: float) -> None:
        nonlocal at
        parts.append(_segment(next(slides), length, segments))
        at += length

    if not any(map(fits, lengths)):
        raise MediaError(f"{media} has no clip that fits into {seconds:g} s; give a folder with shorter clips.")
    while any(map(fits, lengths)):
        for clip in filter(fits, lengths):
            notify(f"{target.stem}: {clip.name}")
            cues += _shifted(transcript(clip), at, at + lengths[clip])
            parts.append(_segment(clip, lengths[clip], segments))
            at += lengths[clip]
            add_slide(_SLIDE)
    while seconds - at >= 1 / _FPS:
        add_slide(min(_SLIDE, seconds - at))
    listed = segments / f"{target.stem}.txt"
    listed.write_text("".join(f"file {part.name}\n" for part in parts), encoding="utf-8")
    ffmpeg("-f", "concat", "-i", listed, "-c", "copy", target)
    target.with_suffix(".vtt").write_text(rendered(cues, "vtt"), encoding="utf-8")
    return Reel(target, round(at, 3))


def is_clip(file: Path) -> bool:
    """Whether a file's name is that of a video or sound, not a still picture or text."""
    return file.suffix.lower() in _PICTURES + _SOUNDS


def _clips(media: Path) -> list[Path]:
    files = [path for path in sorted(media.rglob("*")) if is_clip(path)]
    return [path for path in files if path.suffix.lower() in _PICTURES or transcript(path)]


def _segment(source: Path, seconds: float, folder: Path) -> Path:
    """A clip or slide, fitted into the picture on black; without a picture it shows a ground, without sound silence."""
    target = folder / f"{content_key(file_id(source), f'{seconds:.3f}', _FITTED, repr(_CODED))}.mkv"
    if not target.exists():
        shown, heard = source.suffix.lower() not in _SOUNDS, source.suffix != _STILL and probe(source).audio
        given = ["-i", source, *(() if shown else _GROUND), *(() if heard else _SILENCE)]
        streams = ("-map", "0:v:0" if shown else "1:v:0", "-map", "0:a:0" if heard else "1:a:0")
        filters = ("-vf", _FITTED, "-af", "apad")
        unfinished = target.with_suffix(".part")
        ffmpeg(*given, *streams, *filters, *_CODED, "-t", f"{seconds:.3f}", "-f", "matroska", unfinished)
        unfinished.replace(target)
    return target


def ffmpeg(*arguments: str | Path) -> None:
    """Run ffmpeg with some arguments.

    Raises:
        EngineError: if there is none, or it fails.
    """
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        program = str(get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise EngineError(
            "Long videos are made with ffmpeg, which isn't installed: install longtake[bench], or set"
            " IMAGEIO_FFMPEG_EXE to its program."
        ) from error
    run([program, "-nostdin", "-loglevel", "error", "-y", *map(str, arguments)], None)


def _shifted(cues: Sequence[Cue], start: float, end: float) -> Iterator[TimedLine]:
    """The cues of a clip, shifted to its place; those after its end are left out."""
    for cue in cues:
        if start + cue.start < end:
            yield TimedLine(start + cue.start, min(start + cue.end, end), cue.text, cue.speaker)


def _slides(folder: Path) -> list[Path]:
    """The slides of the demo video, drawn at the size of the reel."""
    script = load_script().model_copy(update={"width": _WIDTH, "height": _HEIGHT})
    files = []
    for number, shot in enumerate(shot for shot in script.shots if shot.slide):
        files.append(folder / f"slide{number}{_STILL}")
        next(pictures(script, shot)).save(files[-1])
    return files
