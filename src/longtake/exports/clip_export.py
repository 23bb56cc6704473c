"""Exports a few seconds of a video as a file with exact start and end that plays anywhere."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import av
from av.audio.frame import AudioFrame
from av.video.frame import VideoFrame

from longtake.errors import MediaError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import MediaInfo

LONG_SIDE = 960  # pixels
_RATE = 48_000  # samples a second
_TICKS = 90_000  # a second
_QUALITY = {"preset": "veryfast", "crf": "23"}


class Clip(NamedTuple):
    """A part of a video that was saved as a file."""

    video: str  # id
    name: str
    span: TimeSpan
    file: Path
    notes: tuple[str, ...] = ()  # how the span was corrected


def write_clip(source: Path, media: MediaInfo, span: TimeSpan, target: Path, long_side: int = LONG_SIDE) -> None:
    """Write a span as H.264 and AAC in MP4, the picture upright with square pixels, the sound mono.

    Copied packets could only start at a keyframe, perhaps seconds earlier, and MP4 doesn't take every codec.

    Args:
        source: the file.
        media: its streams.
        span: in seconds.
        target: the new file.
        long_side: at most this many pixels; a smaller picture stays as it is.

    Raises:
        MediaError: if the source can't be opened, or has neither picture nor sound.
    """
    if not (media.video or media.audio):
        raise MediaError(f"{source.name} is a transcript: it has no picture and no sound to save.")
    with av.open(target, "w", format="mp4", options={"movflags": "faststart"}) as container:
        video = _video_stream(container, media, long_side) if media.video else None
        audio: Any = container.add_stream("aac", rate=_RATE, layout="mono") if media.audio else None
        if video:
            _write_pictures(container, video, source, media, span, long_side)
        if audio:
            _write_sound(container, audio, source, media, span)


def clip_bytes(source: Path, media: MediaInfo, span: TimeSpan, long_side: int = LONG_SIDE) -> bytes:
    """The same clip as the content of its file.

    Raises:
        MediaError: if the source can't be opened.
    """
    with tempfile.TemporaryDirectory(prefix="longtake-clip-") as folder:
        clip = Path(folder) / "clip.mp4"
        write_clip(source, media, span, clip, long_side)
        return clip.read_bytes()


def _video_stream(container: Any, media: MediaInfo, long_side: int) -> Any:
    """A stream with the picture's shape; yuv420p needs even sides."""
    assert media.video is not None
    sides = (media.video.width, media.video.height)
    scale = min(1.0, long_side / max(sides))
    stream = container.add_stream("libx264", rate=max(1, round(media.video.fps)), options=_QUALITY)
    stream.width, stream.height = (max(2, round(side * scale / 2) * 2) for side in sides)
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = Fraction(1, _TICKS)
    return stream


def _write_pictures(
    container: Any, stream: Any, source: Path, media: MediaInfo, span: TimeSpan, long_side: int
) -> None:
    for shown in read_frames(source, media, span, lambda: None):
        picture = VideoFrame.from_ndarray(shown.bgr(long_side), format="bgr24")
        picture = picture.reformat(stream.width, stream.height, format="yuv420p")
        picture.pts = round(max(0.0, shown.time - span.start) * _TICKS)
        picture.time_base = Fraction(1, _TICKS)
        container.mux(stream.encode(picture))
    container.mux(stream.encode())


def _write_sound(container: Any, stream: Any, source: Path, media: MediaInfo, span: TimeSpan) -> None:
    for block in read_audio(source, media, rate=_RATE, span=span):
        sound = AudioFrame.from_ndarray(block.samples[None], format="fltp", layout="mono")
        sound.sample_rate = _RATE
        sound.pts = round(max(0.0, block.start - span.start) * _RATE)
        sound.time_base = Fraction(1, _RATE)
        container.mux(stream.encode(sound))
    container.mux(stream.encode())
