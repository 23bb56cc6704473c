"""Media files that recorders, editors and accidents make, rewritten from a real clip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.frame import VideoFrame

from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe


def rewrite(
    source: Path,
    path: Path,
    *,
    numbers: Sequence[int],
    start: float = 0.0,
    codec: str = "libx264",
    options: Mapping[str, str] | None = None,
    rotation: int = 0,
    sound_seconds: float = 0.0,
) -> Path:
    """Encode some frames of a clip of 30 a second, by number, each `start` seconds later than there, 360 lines high.

    The pictures are stored turned, so that a player that follows `rotation` shows them upright; B-frames and a
    keyframe every two seconds; with `sound_seconds`, silence from 0 on.
    """
    with av.open(str(path), "w") as container:
        video: Any = container.add_stream(codec, rate=30, options=dict(options or {}))
        video.pix_fmt, video.codec_context.gop_size, video.codec_context.max_b_frames = "yuv420p", 60, 2
        tick = video.codec_context.time_base = Fraction(1, 30_000 if codec.startswith("libx26") else 30)
        sound: Any = container.add_stream("aac", rate=16_000, layout="mono") if sound_seconds else None
        wanted = set(numbers)
        for number, frame in enumerate(islice(read_frames(source, probe(source), None, lambda: None), max(wanted) + 1)):
            if number not in wanted:
                continue
            picture = np.ascontiguousarray(np.rot90(frame.bgr(640), -rotation // 90))
            if number == min(wanted):
                video.height, video.width = picture.shape[:2]
                if rotation:
                    video.set_display_rotation(rotation)
            shown = VideoFrame.from_ndarray(picture, format="bgr24").reformat(format="yuv420p")
            shown.pts, shown.time_base = round((start + number / 30) / tick), tick
            container.mux(video.encode(shown))
        container.mux(video.encode())
        if sound:
            silence = np.zeros((1, round(sound_seconds * 16_000)), np.float32)
            samples = av.AudioFrame.from_ndarray(silence, format="fltp", layout="mono")
            samples.sample_rate, samples.pts = 16_000, 0
            container.mux(sound.encode(samples))
            container.mux(sound.encode())
    return path


def repeated(source: Path, path: Path, times: int) -> Path:
    """The packets of a clip again and again in one file, without encoding: quick to make at any length."""
    length = probe(source).duration
    with av.open(str(path), "w") as container, av.open(str(source)) as first:
        tracks = [track for track in first.streams if track.type in ("audio", "video")]
        written: dict[int, Any] = {track.index: container.add_stream_from_template(track) for track in tracks}
        for turn in range(times):
            with av.open(str(source)) as clip:
                for packet in clip.demux([clip.streams[index] for index in written]):
                    if packet.dts is not None and packet.pts is not None and packet.time_base is not None:
                        shift = round(turn * length / packet.time_base)
                        packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                        packet.stream = written[packet.stream_index]
                        container.mux(packet)
    return path


def overwritten(source: Path, path: Path, first: float, last: float) -> Path:
    """A copy whose bytes between two shares (0 to 1) of its length are zero."""
    data = bytearray(source.read_bytes())
    start, end = round(first * len(data)), round(last * len(data))
    data[start:end] = bytes(end - start)
    path.write_bytes(data)
    return path


def index_first(source: Path, path: Path) -> Path:
    """The streams of a file in another, without encoding; of an MP4 the index stands first, as on the web."""
    options = {"movflags": "faststart"} if path.suffix == ".mp4" else {}
    with av.open(str(path), "w", options=options) as target, av.open(str(source)) as clip:
        tracks: dict[int, Any] = {track.index: target.add_stream_from_template(track) for track in clip.streams}
        for packet in clip.demux():
            if packet.dts is not None:
                packet.stream = tracks[packet.stream_index]
                target.mux(packet)
    return path


def cut_short(source: Path, path: Path, share: float) -> Path:
    """A copy that ends after a share (0 to 1) of the bytes."""
    data = source.read_bytes()
    path.write_bytes(data[: round(len(data) * share)])
    return path
