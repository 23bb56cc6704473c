"""Where the streams of a file end: as it declares, and by its last packets."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import av
import av.error
from av.audio.stream import AudioStream as AvAudio
from av.container import InputContainer
from av.video.stream import VideoStream as AvVideo

from longtake.preprocess.media.container import open_media

if TYPE_CHECKING:
    from longtake.preprocess.media.media import MediaInfo

SLACK = 1.0  # seconds by which a stream of a complete file may end early
ORDINARY_FPS = 25.0
_ESTIMATED = frozenset({"avi", "mpeg", "mpegts"})  # formats whose lengths FFmpeg estimates
_UNTIMED = frozenset({"aac", "mp3"})  # formats without times or a length: only counting all packets gives it
_TAIL = 5  # seconds before a file's end in which to look for its last packets
_UNKNOWN_BYTES = 0x7FFF_0000  # programs that write to a pipe declare this size or more
_AVI_HEAD = 52  # bytes up to the number of frames, behind their microseconds
_NO_LENGTH = 90 * 86_400.0  # seconds; longer than any recording: the length was never filled in


def promised_end(path: Path, media: MediaInfo, index: int) -> float:
    """The end that the file declares for this stream, in seconds from its origin; 0.0 if it declares none.

    Where the clock restarts, what is declared is the end of one recording.

    Raises:
        MediaError: if the file can't be opened.
    """
    if media.restarts or media.from_the_middle:
        return 0.0
    with open_media(path) as container:
        stream = container.streams[index]
        if container.format.name in _UNTIMED:
            return 0.0
        if container.format.name == "wav" and (size := _sound_bytes(path)) < _UNKNOWN_BYTES:
            return size * 8 / (stream.codec_context.bit_rate or 1)  # FFmpeg tells what is there
        # Without an index, FFmpeg estimates the length of an AVI file.
        told = _avi_seconds(path) if container.format.name == "avi" and stream.type == "video" else 0.0
        if declared := told or _declared_end(container, stream):
            return declared - media.origin if declared < _NO_LENGTH else 0.0
        # Matroska declares only the length of the whole file, which is cut if none of its streams lasts as long.
        whole = (container.duration or 0) / av.time_base
        streams = [each.index for each in container.streams]
    return whole - media.origin if _last_packet_end(path, streams) < whole - SLACK else 0.0


def _sound_bytes(path: Path) -> int:
    """The bytes of sound that the header of a WAV file declares, 0 if it lacks them."""
    with path.open("rb") as file:
        file.seek(12)
        while len(head := file.read(8)) == 8:
            size = int.from_bytes(head[4:], "little")
            if head[:4] == b"data":
                return size
            file.seek(size + size % 2, 1)
    return 0


def _avi_seconds(path: Path) -> float:
    """How long the header of an AVI file says that it lasts, or its first part if it has several."""
    with path.open("rb") as file:
        head = file.read(_AVI_HEAD)
    if len(head) < _AVI_HEAD or head[24:28] != b"avih":
        return 0.0
    micros, frames = (int.from_bytes(head[at : at + 4], "little") for at in (32, 48))
    return micros * frames / 1_000_000


def bounds(container: Any, used: Sequence[AvVideo | AvAudio], path: Path) -> tuple[float, float]:
    """Container times of the first and after the last presented frame or sample, in seconds."""
    starts, ends = [], []
    for stream in used:
        if stream.time_base is not None:
            # WAV doesn't declare its start of 0.
            starts.append(float((stream.start_time or 0) * stream.time_base))
            if end := _declared_end(container, stream):
                ends.append(end)
    origin = min(starts, default=0.0)
    indices = [stream.index for stream in used]
    if container.format.name in _UNTIMED:
        with open_media(path) as reopened:
            return origin, _read_to_end(reopened, indices)
    if len(ends) == len(used) and container.format.name not in _ESTIMATED:
        return origin, max(ends)
    # Matroska and raw streams don't declare when a stream ends, so look at its last packet.
    return origin, max([*ends, _last_packet_end(path, indices)])


def _declared_end(container: InputContainer, stream: Any) -> float | None:
    """Container time, in seconds, at which the file says that a stream ends; None if it doesn't say."""
    if not stream.duration or stream.time_base is None or "matroska" in container.format.name:
        return None  # FFmpeg takes the length of a Matroska file for that of a stream with few pictures
    return float(((stream.start_time or 0) + stream.duration) * stream.time_base)


def _last_packet_end(path: Path, streams: Sequence[int]) -> float:
    """Container time, in seconds, at which the last readable packet of these streams ends; 0.0 without any."""
    with open_media(path) as container, suppress(av.error.FFmpegError):
        if container.duration:
            container.seek((container.start_time or 0) + max(0, container.duration - _TAIL * av.time_base))
            if end := _read_to_end(container, streams):
                return end
    # The length may be wrong. Reopen: a container that failed to seek gives nothing more.
    with open_media(path) as container:
        return _read_to_end(container, streams)


def _read_to_end(container: Any, streams: Sequence[int]) -> float:
    used = [container.streams[index] for index in streams]
    end = untimed = 0.0
    try:
        for packet in container.demux(used):
            seconds = float((packet.duration or 0) * (packet.time_base or 0))
            if packet.pts is not None:
                end = max(end, float(packet.pts * packet.time_base) + seconds)
            elif packet.size and packet.stream is used[0]:
                untimed += seconds or 1 / ORDINARY_FPS
    except av.error.FFmpegError:
        pass  # the readable part determines the length
    return end or untimed
