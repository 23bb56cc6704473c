"""Puts the packets of a file on one clock, also where the file's own clock starts again.

A recorder that restarts, joined transport streams and chained Ogg set their times back in the middle of a file. What
follows is placed after what came before. Where that happens shows only in the packets, so a file is read through once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import av.error
from av.container import InputContainer
from av.packet import Packet

from longtake.preprocess.media.container import open_media

_BACK = 1.0  # seconds by which times of a stream may fall without a restart
_LEAP = 12 * 3600.0  # seconds; FFmpeg takes a restart at 0 for a wrapped clock, 13 hours or more later
_JOINED_LEAP = 60.0  # seconds in formats that are often joined: a break between two programmes, not a pause in one
_JOINED = frozenset({"mpeg", "mpegts"})
_INTERLEAVED = 10.0  # seconds by which one stream of a file may lag behind another
_GLITCH = 2.0  # seconds; a clock that returns within these hasn't restarted
_STEP = 30.0  # seconds between marks
_PAUSE = 1.0  # seconds; less between two packets is an uneven clock
_UNUSUAL = 4.0  # times the usual seconds from one packet to the next that there are none in a pause
_TOGETHER = 0.1  # of a pause, by which picture and sound may stop or start apart
GIVE_UP = 10_000  # consecutive attempts without a packet; FFmpeg scans 64 KiB each time
_SEEKABLE = frozenset({"flv", "mpeg", "mpegts"})  # formats that can be read from any byte


@dataclass(frozen=True, slots=True)
class ClockMark:
    """What lies at or after `position`, in bytes, plays `shift` seconds later than it says, from about `time` on.

    `time` and `shift` are in seconds of the container, which is before the origin is taken off.
    """

    position: int
    time: float
    shift: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """What reading all packets tells, in seconds of the container: the end, and `marks` if the clock restarts.

    In a pause, from start to end, neither picture nor sound was recorded: what was shown doesn't stay on screen.
    """

    end: float
    restarts: tuple[float, ...]
    marks: tuple[ClockMark, ...]
    pauses: tuple[tuple[float, float], ...]
    size: int  # bytes, up to the end of the last packet


@dataclass
class _Steps:
    """The times from one packet of a stream to the next, in seconds: the mean of the short ones, and the long ones."""

    total: float = 0.0
    count: int = 0
    long: list[tuple[float, float]] = field(default_factory=list)  # start and end

    def add(self, start: float, end: float) -> None:
        if end - start >= _PAUSE:
            self.long.append((start, end))
        else:
            self.total += end - start
            self.count += 1

    def gaps(self) -> list[tuple[float, float]]:
        """The steps that are much longer than the usual one."""
        if not self.long:
            return []
        usual = (
            self.total / self.count if self.count > len(self.long) else median(end - start for start, end in self.long)
        )
        return [(start, end) for start, end in self.long if end - start >= _UNUSUAL * usual]


@dataclass
class _Recording:
    """A part of a file with a clock of its own; times are as the file says."""

    position: int
    leap: float  # seconds by which times may rise without a restart
    start: float = float("inf")
    end: float = float("-inf")
    last: dict[int, float] = field(default_factory=dict)  # decoding time by stream
    places: list[tuple[int, float]] = field(default_factory=list)  # of packets to read from, with their times
    steps: dict[int, _Steps] = field(default_factory=lambda: defaultdict(_Steps))  # by stream

    def continues(self, stream: int, time: float) -> bool:
        """Whether the next packet of a stream fits, by its decoding time."""
        last = self.last.get(stream)  # another stream tells nothing: a file may hold one after the other
        return last is None or last - _BACK <= time <= max(last, self.end) + self.leap

    def add(self, packet: Packet[Any], position: int, *, entry: bool) -> None:
        """Take a packet; at an entry, decoding can begin."""
        tick = float(packet.time_base or 0)
        assert packet.dts is not None
        shown = (packet.dts if packet.pts is None else packet.pts) * tick
        stream, time = packet.stream_index, packet.dts * tick
        if stream in self.last:
            self.steps[stream].add(self.last[stream], time)
        self.last[stream] = time
        self.start, self.end = min(self.start, shown), max(self.end, shown + (packet.duration or 0) * tick)
        if entry and packet.is_keyframe and (not self.places or shown >= self.places[-1][1] + _STEP):
            self.places.append((position, shown))


def read_timeline(path: Path, streams: Sequence[int], within: tuple[int, int] | None = None) -> Timeline | None:
    """Read through the packets of a file's picture and sound; None if they carry no times.

    Args:
        path: the file.
        streams: indices, first the one that others are found by: the picture, if there is one.
        within: the part of the file to read, as for `open_media`.

    Raises:
        MediaError: if the file can't be opened.
    """
    with open_media(path, within) as container:
        leap = _JOINED_LEAP if container.format.name in _JOINED else _LEAP
        recordings, size = [_Recording(0, leap)], 0
        for packet, position in _placed(_readable(container, streams)):
            size = max(size, position + packet.size)
            if packet.dts is None or packet.time_base is None:
                continue
            stream, time = packet.stream_index, float(packet.dts * packet.time_base)
            current = recordings[-1]
            before = recordings[-2] if len(recordings) > 1 else None
            if before and position < current.position and stream not in current.last:
                # Streams are interleaved: this is the end of what came before, or the first of what follows.
                if before.continues(stream, time):
                    current = before
                else:
                    current.position = position
            elif not current.continues(stream, time):
                brief = current.end - current.start < _GLITCH
                if before and brief and before.continues(stream, time) and time < before.end + _INTERLEAVED:
                    recordings.pop()
                    current = before
                else:
                    current = _Recording(position, leap)
                    recordings.append(current)
            current.add(packet, position, entry=stream == streams[0])
    return _joined([each for each in recordings if each.last], streams[0], size)


def _joined(recordings: Sequence[_Recording], picture: int, size: int) -> Timeline | None:
    if not recordings:
        return None
    reached, shift = recordings[0].start, 0.0
    starts, marks, pauses = list[float](), list[ClockMark](), list[tuple[float, float]]()
    for number, each in enumerate(recordings):
        shift = reached - each.start if number else 0.0
        starts.append(reached)
        marks.append(ClockMark(each.position, each.start + shift, shift))
        marks.extend(
            ClockMark(position, time + shift, shift) for position, time in each.places if position > each.position
        )
        pauses.extend((start + shift, end + shift) for start, end in _pauses(each, picture))
        reached = each.end + shift
    sorted_marks = tuple(sorted(marks, key=_position)) if len(recordings) > 1 else ()
    return Timeline(reached, tuple(starts[1:]), sorted_marks, tuple(pauses), size)


def _pauses(recording: _Recording, picture: int) -> Iterator[tuple[float, float]]:
    """Where the picture and all sound stop and start together: a still picture alone has long gaps, too."""
    sounds = [steps.gaps() for stream, steps in recording.steps.items() if stream != picture]
    for start, end in recording.steps[picture].gaps() if sounds else ():
        apart = _TOGETHER * (end - start)
        first = [bisect_left(gaps, (start - apart, end)) for gaps in sounds]
        near = [gaps[place : place + 1] for gaps, place in zip(sounds, first, strict=True)]
        if all(gap and abs(gap[0][0] - start) <= apart and abs(gap[0][1] - end) <= apart for gap in near):
            yield start, end


def _position(mark: ClockMark) -> int:
    return mark.position


def _readable(container: InputContainer, streams: Sequence[int]) -> Iterator[Packet[Any]]:
    """What can be read of the packets, in file order."""
    chosen, failures = [container.streams[index] for index in streams], 0
    packets = container.demux(chosen)
    while failures < GIVE_UP:
        try:
            packet = next(packets, None)
        except (av.error.InvalidDataError, av.error.BlockingIOError):
            failures += 1
            packets = container.demux(chosen)
            continue
        except (av.error.FFmpegError, EOFError):
            return
        if packet is None:
            return
        failures = 0
        if packet.size:
            yield packet


def _placed(packets: Iterable[Packet[Any]]) -> Iterator[tuple[Packet[Any], int]]:
    """Packets with their positions in bytes; one that has none lies where the one before it did."""
    position = 0
    for packet in packets:
        if packet.pos is not None and packet.pos >= 0:
            position = packet.pos
        yield packet, position


def on_one_clock(packets: Iterable[Packet[Any]], marks: Sequence[ClockMark]) -> Iterator[Packet[Any]]:
    """The same packets, with the times of the whole file's clock."""
    if not marks:
        yield from packets
        return
    for packet, position in _placed(packets):
        shift = _shift_of(packet, position, marks)
        if shift and packet.time_base:
            ticks = round(shift / packet.time_base)
            packet.pts = None if packet.pts is None else packet.pts + ticks
            packet.dts = None if packet.dts is None else packet.dts + ticks
        yield packet


def _shift_of(packet: Packet[Any], position: int, marks: Sequence[ClockMark]) -> float:
    number = max(0, bisect_right(marks, position, key=_position) - 1)
    mark, before = marks[number], marks[max(0, number - 1)]
    if position == mark.position and packet.dts is not None and packet.time_base is not None:
        # In Ogg, the last of one recording and the first of the next may give the same position.
        time = float(packet.dts * packet.time_base)
        if abs(time + before.shift - mark.time) < abs(time + mark.shift - mark.time):
            return before.shift
    return mark.shift


def seek(container: InputContainer, stream: Any, time: float, marks: Sequence[ClockMark]) -> None:
    """Go to a packet of a stream before `time`, in seconds of the container; stay at the start where that isn't safe.

    Raises:
        FFmpegError: if the file can't be read from there.
    """
    if not marks:
        if stream.time_base is not None:
            container.seek(int(time / stream.time_base), stream=stream)
        return
    # By time, FFmpeg would search a clock that never falls.
    earlier = [mark for mark in marks if mark.time <= time - _INTERLEAVED]
    if earlier and container.format.name in _SEEKABLE:
        container.seek(max(earlier, key=lambda mark: mark.time).position, unsupported_byte_offset=True)
