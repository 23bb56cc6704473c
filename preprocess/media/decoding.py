"""Decodes the pictures of a stream as a player shows them: in order, each at its time, without damaged ones."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import av.error
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame

from longtake.models.machine import usable_cores
from longtake.preprocess.media.clock import GIVE_UP, on_one_clock
from longtake.preprocess.media.media import MediaInfo, VideoStream

logger = logging.getLogger(__name__)

_THREADS = 8  # at least; decoding ahead keeps a few cores busy while earlier frames are processed
_FAR = 60.0  # seconds; no frame can be this far beyond twice the media's length
_REORDERED = 1.0  # seconds by which decoding may run ahead of presentation
HOLE = 1_000  # bytes; an intact Matroska file has a few dozen between two packets
_STILL = 1.0  # seconds from which a picture is a still
_CHUNK_HEADER = 8  # bytes of name and length before the data of a packet in AVI


@dataclass(frozen=True, slots=True)
class TimedPicture:
    """A picture, shown from `time` for `duration` seconds."""

    time: float
    duration: float
    picture: VideoFrame


@dataclass(slots=True)
class _Damage:
    """The times, in seconds from the origin, at which data was lost.

    Pictures leave a decoder long after their packets went in, so a loss is recorded by time: the decoding times of the
    next three packets. The first may be a remnant of an earlier one, and FFmpeg may mark a loss one too early.
    """

    tick: float
    origin: float
    _awaited: int = 0  # packets still needed to determine the time of the last loss
    _times: list[float] = field(default_factory=list)

    def note(self, ticks: int | None = None) -> None:
        """Record a loss: the picture presented at `ticks`, or the data before the next packet."""
        if ticks is None:
            self._awaited = 3
        else:
            self._times.append(ticks * self.tick - self.origin)

    def before(self, packet: Packet[Any]) -> None:
        """Process the next packet, which may determine the time of a loss before it."""
        if self._awaited and packet.dts is not None:
            self._times.append(packet.dts * self.tick - self.origin)
            self._awaited -= 1

    def between(self, earlier: float, later: float) -> bool:
        """Whether something was lost between two consecutive pictures at these times, in seconds."""
        found = any(earlier - _REORDERED < time <= later for time in self._times)
        self._times = [time for time in self._times if time > later]
        return found


def decode_pictures(
    container: InputContainer, path: Path, media: MediaInfo, video: VideoStream, check_cancelled: Callable[[], None]
) -> Iterator[TimedPicture]:
    """Decode from the container's current position; times are seconds from the media's origin.

    A picture lasts until the next, however late, unless something was lost or the recording paused between them: then
    it lasts as long as its packet says. Pictures that the decoder had to make up, and those out of order in time, are
    dropped. Damage shows as a gap between two pictures, or an end before the declared one (see `coverage`).
    """
    stream: Any = container.streams[video.index]
    stream.thread_type = "AUTO"
    stream.codec_context.thread_count = max(_THREADS, usable_cores() + 1)
    damage = _Damage(float(stream.time_base), media.origin)
    held: TimedPicture | None = None
    stills = stream.frames <= 1  # 0 if the file doesn't say
    clock = 0.0
    packets = on_one_clock(_packets(container, stream, path, damage), media.marks)
    for picture in _pictures(packets, stream, path, damage, check_cancelled):
        tick = float(picture.time_base or 0)
        duration = (picture.duration or 0) * tick or 1 / video.fps
        presented = _presented(picture, media, stream)
        # Raw streams carry no times: each picture follows the one before.
        # Layers and citations use milliseconds, so use the same precision here to find their frames again.
        time = round(clock if presented is None else presented * tick - media.origin, 3) + 0.0
        if time > 2 * media.duration + _FAR or (held and time < held.time):
            damage.note()
            continue
        clock = time + duration
        if time < 0 or (held and time == held.time):
            continue
        if held:
            shown = time - held.time
            lost = damage.between(held.time, time)
            if shown >= _STILL and not lost:
                lost = any(held.time < pause.end and pause.start < time for pause in media.pauses)
            lasts = min(held.duration, shown) if lost else shown
            stills = shown >= _STILL and not lost
            yield TimedPicture(held.time, lasts, held.picture)
        held = TimedPicture(time, duration, picture)
    if held:
        lasts, entries = held.duration, stream.index_entries
        last = not entries or float(entries[-1].timestamp * stream.time_base) - media.origin <= held.time + _REORDERED
        if stills and last and not damage.between(held.time, inf):
            lasts = max(lasts, media.duration - held.time)  # players show the last of several stills to the end
        yield TimedPicture(held.time, lasts, held.picture)


def _pictures(
    packets: Iterator[Packet[Any]], stream: Any, path: Path, damage: _Damage, check_cancelled: Callable[[], None]
) -> Iterator[VideoFrame]:
    """Intact pictures in decoder output order."""
    for packet in packets:
        check_cancelled()
        if packet.stream.index != stream.index:  # packet.stream_index is 0 in the flush packet
            continue
        if packet.is_corrupt:
            damage.note()
        damage.before(packet)
        try:
            pictures: list[Any] = packet.decode()
        except (EOFError, av.error.InvalidDataError):
            damage.note()
            continue
        except av.error.FFmpegError as error:
            _stopped(path, damage, error)
            return
        for picture in pictures:
            if picture.is_corrupt:
                damage.note(picture.pts)
            else:
                yield picture


def _packets(container: InputContainer, stream: Any, path: Path, damage: _Damage) -> Iterator[Packet[Any]]:
    """Packets in file order, continuing past damaged data."""
    # FFmpeg skips damage in Matroska silently; gaps in bytes between the packets of all streams reveal it.
    matroska = "matroska" in container.format.name
    streams = list(container.streams) if matroska else [stream]
    # FFmpeg numbers the AVI packets it finds; after a loss only the index knows the place of the following ones.
    places = _avi_places(stream) if container.format.name == "avi" else {}
    reached: int | None = None
    lost = failures = 0
    packets = container.demux(streams)
    while failures < GIVE_UP:
        try:
            packet = next(packets, None)
        except (av.error.InvalidDataError, av.error.BlockingIOError):
            damage.note()
            failures += 1
            packets = container.demux(streams)
            continue
        except (EOFError, av.error.FFmpegError) as error:
            _stopped(path, damage, error)
            return
        if packet is None:
            return
        failures = 0
        if matroska and packet.pos is not None:
            if reached is not None and packet.pos > reached + HOLE:
                damage.note()
            reached = packet.pos + packet.size
        if packet.pos in places and packet.dts is not None:
            place = places[packet.pos]
            if place - packet.dts != lost:
                lost = place - packet.dts
                damage.note()
            packet.dts = packet.pts = place
        yield packet


def _avi_places(stream: Any) -> dict[int, int]:
    """The time in ticks of each packet of an AVI stream, by its data's position in the file."""
    return {entry.pos + _CHUNK_HEADER: entry.timestamp for entry in stream.index_entries}


def _stopped(path: Path, damage: _Damage, error: Exception) -> None:
    damage.note()
    logger.debug("%s: reading stopped (%s); the rest was skipped.", path, error)


def _presented(picture: VideoFrame, media: MediaInfo, stream: Any) -> int | None:
    """The time in ticks at which a picture is shown; None if the file doesn't say."""
    if media.container != "avi":
        return picture.pts
    # AVI stores only decoding order, and FFmpeg's guess at presentation order is wrong. A picture comes out with the
    # packet that pushed it out: with B-frames, the one after its turn.
    late = (picture.duration or 1) if stream.codec_context.has_b_frames else 0
    return None if picture.dts is None else picture.dts - late
