"""Encodes clips as segments that can be joined packet by packet: 1280x720 H.264 at 25 pictures a second, mono AAC.

Encoding is slow and joining isn't, so a clip is encoded once and its segment kept. 8 pictures last exactly as long as
15 AAC frames, so segments of whole groups of those join without a seam in picture or sound.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Any

import av
import av.error
import numpy as np
from av.filter import Graph
from av.video.frame import PictureType, VideoFrame
from PIL import Image

from longtake.memory.layers import content_key
from longtake.memory.library import file_id
from longtake.preprocess.media.audio import Samples, read_audio
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.media import MediaInfo, probe

WIDTH, HEIGHT, FPS = 1280, 720, 25
RATE = 48_000
GROUP = 0.32  # seconds
_GROUP_PICTURES, _GROUP_PACKETS, _PACKET = 8, 15, 1024
# A fixed number of threads gives the same bytes each time. The fast preset is also fast to decode, which keeps the bare
# decoding, the baseline, fast.
_X264 = {"preset": "veryfast", "crf": "23", "threads": "2"}
_TURNS = {90: "transpose=cclock", 180: "hflip,vflip", 270: "transpose=clock"}


def groups_of(seconds: float) -> int:
    """Groups that a clip of this many seconds fills, the last one perhaps partly."""
    return max(1, ceil(round(seconds / GROUP, 6)))


def clip_segment(clip: Path, folder: Path, ground: Image.Image) -> Path:
    """The segment of a clip, kept in `folder`; a clip without a picture shows `ground`.

    Raises:
        MediaError: if the clip can't be read.
    """
    media = probe(clip)
    groups = groups_of(media.duration)
    target = folder / f"{content_key(file_id(clip), ground_key(ground), repr(_X264))}.mp4"
    if not target.exists():
        pictures = _fitted(clip, media) if media.video else iter([_frame(ground)])
        _encode(target, pictures, _sound(clip, media, groups), groups)
    return target


def still_segment(picture: Image.Image, groups: int, folder: Path) -> Path:
    """The silent segment that shows a 1280x720 picture for a number of groups."""
    target = folder / f"{content_key(ground_key(picture), str(groups), repr(_X264))}.mp4"
    if not target.exists():
        silence = np.zeros(groups * _GROUP_PACKETS * _PACKET, np.float32)
        _encode(target, iter([_frame(picture)]), silence, groups)
    return target


def ground_key(picture: Image.Image) -> str:
    """A key for a picture, from its pixels."""
    return content_key(picture.tobytes().hex())


def join(parts: Sequence[tuple[Path, int]], target: Path) -> None:
    """Join segments into one file; each part is a segment and its groups."""
    partial = target.with_suffix(".part")
    with av.open(str(partial), "w", format="mp4") as joined:
        streams: dict[str, Any] = {}
        before = 0
        for path, groups in parts:
            with av.open(str(path)) as segment:
                if not streams:
                    streams = {stream.type: joined.add_stream_from_template(stream) for stream in segment.streams}
                for packet in segment.demux():
                    if packet.dts is None or packet.pts is None or packet.time_base is None:
                        continue
                    if packet.stream.type == "audio" and packet.pts >= (groups * _GROUP_PACKETS - 1) * _PACKET:
                        continue  # the encoder's padding, where the next segment's first packet goes
                    shift = round(before * GROUP / packet.time_base)
                    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                    packet.stream = streams[packet.stream.type]
                    joined.mux(packet)
            before += groups
    os.replace(partial, target)


def _fitted(clip: Path, media: MediaInfo) -> Iterator[VideoFrame]:
    """The pictures of a clip, 25 per second from the media's origin, fitted into 1280x720 on black."""
    assert media.video is not None
    with open_media(clip) as container:
        stream: Any = container.streams[media.video.index]
        steps = [
            f"setpts=PTS-({media.origin}/TB)",
            f"fps={FPS}:start_time=0",
            *_TURNS.get(media.video.rotation, "null").split(","),
            f"scale={media.video.width}:{media.video.height}",
            f"scale={WIDTH}:{HEIGHT}:force_original_aspect_ratio=decrease:force_divisible_by=2",
            f"pad={WIDTH}:{HEIGHT}:-1:-1",
            "setsar=1",
            "format=yuv420p",
        ]
        graph = Graph()
        source = graph.add_buffer(template=stream)
        named = [graph.add(name, options) for name, _, options in (step.partition("=") for step in steps)]
        graph.link_nodes(source, *named, graph.add("buffersink")).configure()
        frames: Iterator[Any] = chain(container.decode(stream), [None])
        for frame in frames:
            graph.vpush(frame)
            yield from _pulled(graph)


def _pulled(graph: Graph) -> Iterator[VideoFrame]:
    while True:
        try:
            yield graph.vpull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return


def _sound(clip: Path, media: MediaInfo, groups: int) -> Samples:
    """The sound of a clip as (samples,) at `RATE`, on the clock of its pictures; silence if it has none."""
    track = np.zeros(groups * _GROUP_PACKETS * _PACKET, np.float32)
    for block in read_audio(clip, media, rate=RATE):
        first = round(block.start * RATE)
        heard = block.samples[: max(0, len(track) - first)]
        track[first : first + len(heard)] = heard
    return track


def _encode(target: Path, pictures: Iterator[VideoFrame], sound: Samples, groups: int) -> None:
    """Write a segment; if pictures are missing at the end, the last one is repeated."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".part")
    with av.open(str(partial), "w", format="mp4") as container:
        video: Any = container.add_stream("libx264", rate=FPS, options=_X264)
        video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        audio: Any = container.add_stream("aac", rate=RATE, layout="mono", bit_rate=64_000)
        shown = next(pictures)
        for number in range(groups * _GROUP_PICTURES):
            shown.pts, shown.time_base, shown.pict_type = number, Fraction(1, FPS), PictureType.NONE
            container.mux(video.encode(shown))
            shown = next(pictures, shown)
        container.mux(video.encode())
        container.mux(audio.encode(_samples(sound)))
        container.mux(audio.encode())
    os.replace(partial, target)


def _samples(sound: Samples) -> av.AudioFrame:
    frame = av.AudioFrame.from_ndarray(sound[np.newaxis], format="fltp", layout="mono")
    frame.sample_rate, frame.pts = RATE, 0
    return frame


def _frame(picture: Image.Image) -> VideoFrame:
    return VideoFrame.from_ndarray(np.asarray(picture), format="rgb24").reformat(format="yuv420p")
