"""Renders a plan to a video file, and compares the file, as it decodes, with what the plan shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import av
import av.error
import cv2
import numpy as np
from av.container import OutputContainer

from longtake.errors import ConfigError, LibraryError, MediaError
from longtake.evalharness.edits.edit import Edit, EditPlan, EditTruth, Source
from longtake.evalharness.edits.timeline import PlannedFrame, play, sound
from longtake.evalharness.runs.journal import write_file
from longtake.memory.library import file_id
from longtake.memory.timespan import clock
from longtake.preprocess.media.audio import Samples
from longtake.preprocess.media.frames import Picture, read_frames
from longtake.preprocess.media.media import probe

SOUND_RATE = 48_000
_SOUND_BITS = 192_000  # a second; the encoder's usual 69,000 blur what starts or stops abruptly
_TICKS = 90_000  # a second
_MOST_FRAMES_A_SECOND = 240
_CODED: dict[bool, dict[str, str]] = {
    False: {"preset": "veryfast", "crf": "18"},
    True: {"preset": "ultrafast", "crf": "0"},
}
_SOUND_SAMPLES = 1024  # in a frame of AAC
# How far a decoded frame may be from the planned one, in levels: on average, and in the worst block.
_MEAN, _WORST, _BLOCK = 8.0, 48.0, 16


def make_edit(
    edit: Edit, name: str, sources: Sequence[Path], out: Path, seed: int, check: Callable[[], None]
) -> EditTruth:
    """Make the video of an edit and check it; its truth lies beside it as `STEM.truth.json`.

    The new file is `.mp4` or, for lossless edits as well, `.mkv`. The same seed makes the same video. `check` is called
    for each frame, and raises to cancel.

    Raises:
        ConfigError: if there are too few sources, or one doesn't fit.
        MediaError: if a source can't be read, or the new file doesn't show what was planned.
        LibraryError: if the file can't be written.
    """
    if len(sources) != edit.sources:
        raise ConfigError(f"{name} needs {edit.sources} video{'s' * (edit.sources > 1)}; {len(sources)} given.")
    read = [Source(path, probe(path)) for path in sources]
    for source in read:
        if source.media.video is None:
            raise MediaError(f"{source.path} has no picture, so there is nothing to edit.")
    plan = edit.plan(read, Random(f"{name}/{seed}/{'/'.join(path.name for path in sources)}"))
    render(plan, read, out, check)
    truth = EditTruth(
        edit=name,
        kind=edit.kind,
        parameters=edit.model_dump(mode="json"),
        seed=seed,
        sources=tuple(path.name for path in sources),
        contents=tuple(map(file_id, sources)),
        altered=plan.altered,
        facts=plan.facts,
        pieces=plan.pieces,
        seconds=round(plan.seconds, 3),
    )
    write_file(truth_file(out), truth.model_dump_json(indent=1) + "\n")
    return truth


def truth_file(video: Path) -> Path:
    """Where the truth of a video lies."""
    return video.with_suffix(".truth.json")


def render(plan: EditPlan, sources: Sequence[Source], out: Path, check: Callable[[], None]) -> None:
    """Write the video of a plan and check it; see `make_edit`. An existing file is replaced in the end."""
    video = sources[0].media.video
    heard = plan.keeps_sound and any(sources[piece.source].media.audio for piece in plan.pieces)
    write_frames(
        out,
        lambda: painted(plan, sources, check),
        fps=video.fps if video else 25.0,
        samples=sound(plan.pieces, sources, SOUND_RATE, check) if heard else None,
        lossless=plan.lossless,
        check=check,
    )


def write_frames(
    out: Path,
    frames: Callable[[], Iterator[PlannedFrame]],
    *,
    fps: float,
    samples: Iterator[Samples] | None = None,
    lossless: bool = False,
    check: Callable[[], None],
) -> None:
    """Encode frames as H.264, decode the file beside them, and put it in its place.

    `frames` gives the frames, each time anew; `samples` are of the sound, at `SOUND_RATE`, mono. `lossless` keeps every
    pixel, for patterns that compression smears. `check` is called for each decoded frame, and raises to cancel.

    Raises:
        MediaError: if there are no frames, or the file doesn't show them.
        LibraryError: if it can't be written.
    """
    unfinished = out.with_name(f".{out.stem}.part{out.suffix}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with av.open(unfinished, "w") as container:
            video = _video_stream(container, fps, lossless)
            audio: Any = None
            if samples:
                audio = container.add_stream("aac", rate=SOUND_RATE, layout="mono")
                audio.bit_rate = _SOUND_BITS
            if not _encode(container, video, audio, frames(), _sound_frames(samples or iter(()))):
                raise MediaError(f"{out} would have no frame: the source shows none in the span of the edit.")
        compare(unfinished, frames(), check)
        os.replace(unfinished, out)
    except (OSError, av.error.FFmpegError) as error:
        raise LibraryError(f"{out} can't be written: {error.strerror}. Choose another file.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def painted(plan: EditPlan, sources: Sequence[Source], check: Callable[[], None]) -> Iterator[PlannedFrame]:
    """The frames of a plan in order."""
    for shown in play(plan.pieces, sources, check):
        pictures = plan.paint(shown.picture, shown.time)
        each = shown.seconds / len(pictures)
        for number, picture in enumerate(pictures):
            yield PlannedFrame(picture, round(shown.time + number * each, 5), each)


def compare(file: Path, planned: Iterator[PlannedFrame], check: Callable[[], None]) -> None:
    """Decode a file beside its planned frames.

    Raises:
        MediaError: if it has more or fewer frames, or one of them looks or is timed otherwise.
    """
    decoded = read_frames(file, probe(file), None, check)
    for shown in planned:
        frame = next(decoded, None)
        where = clock(shown.time, decimals=2)
        if frame is None:
            raise MediaError(f"{file} ends before {where}, where the edit still shows frames. Make it again.")
        mean, worst = _apart(shown.picture, frame.bgr())
        if mean > _MEAN or worst > _WORST or abs(frame.time - shown.time) > 0.5 * shown.seconds + 0.002:
            raise MediaError(
                f"{file} doesn't show the edit at {where}: its frame of {clock(frame.time, decimals=2)} is {mean:.1f} "
                f"levels away, {worst:.0f} in one place. Give a source of another size or codec."
            )
    if next(decoded, None) is not None:
        raise MediaError(f"{file} has more frames than the edit. Make it again.")


def _apart(one: Picture, other: Picture) -> tuple[float, float]:
    """The difference of two pictures in levels of brightness: its mean, and the largest mean of a block."""
    grey = [cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32) for picture in (one, other)]
    height, width = grey[0].shape
    size = max(1, width // _BLOCK), max(1, height // _BLOCK)
    blocks = [cv2.resize(picture, size, interpolation=cv2.INTER_AREA) for picture in grey]
    mean = float(np.abs(grey[0] - grey[1]).mean())
    return mean, float(np.abs(blocks[0] - blocks[1]).max())


def _encode(
    container: OutputContainer, video: Any, audio: Any, frames: Iterator[PlannedFrame], blocks: Iterator[av.AudioFrame]
) -> bool:
    """Whether there was a frame. Sound and picture are written in turn, so that a player finds them together."""
    written = 0.0
    sized = False
    for shown in frames:
        if not sized:
            video.height, video.width = shown.picture.shape[:2]
            sized = True
        while audio and written <= shown.time and (block := next(blocks, None)) is not None:
            container.mux(audio.encode(block))
            written = (block.pts or 0) / SOUND_RATE
        frame = av.VideoFrame.from_ndarray(shown.picture, format="bgr24").reformat(format=video.pix_fmt)
        frame.pts, frame.time_base = round(shown.time * _TICKS), Fraction(1, _TICKS)
        container.mux(video.encode(frame))
    if sized:
        container.mux(video.encode())
        for block in blocks if audio else ():
            container.mux(audio.encode(block))
        if audio:
            container.mux(audio.encode())
    return sized


def _video_stream(container: OutputContainer, fps: float, lossless: bool) -> Any:
    rate = min(_MOST_FRAMES_A_SECOND, max(1, round(fps)))
    stream: Any = container.add_stream("libx264", rate=rate, options=_CODED[lossless])
    stream.pix_fmt = "yuv444p" if lossless else "yuv420p"
    stream.time_base = stream.codec_context.time_base = Fraction(1, _TICKS)
    return stream


def _sound_frames(blocks: Iterator[Samples]) -> Iterator[av.AudioFrame]:
    """The samples as frames of the encoder's size."""
    held = np.zeros(0, np.float32)
    at = 0
    for block in blocks:
        held = np.concatenate([held, block])
        while len(held) >= _SOUND_SAMPLES:
            yield sound_frame(held[:_SOUND_SAMPLES], at, SOUND_RATE)
            at, held = at + _SOUND_SAMPLES, held[_SOUND_SAMPLES:]
    if len(held):
        yield sound_frame(held, at, SOUND_RATE)


def sound_frame(samples: Samples, at: int, rate: int) -> av.AudioFrame:
    """Mono samples as a frame that begins at a sample of the whole."""
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples[np.newaxis]), format="fltp", layout="mono")
    frame.sample_rate, frame.pts = rate, at
    return frame
