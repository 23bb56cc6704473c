"""Reads audio as mono samples on the video's clock, block by block, with memory use independent of file length."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.error import FFmpegError

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.clock import ClockMark, on_one_clock, seek
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.decoding import HOLE
from longtake.preprocess.media.media import MediaInfo

Samples = npt.NDArray[np.float32]

BLOCK_SECONDS = 32
SEEK_MARGIN = 0.5  # seconds; decoders with overlapping transforms need a run-up before their first exact sample
TOUCHING = 0.001  # seconds between blocks that follow each other
_CANCELLED = 0.05  # share of the channels' power that their mean keeps; two that have nothing in common keep half
_CENTRE = 0.8  # share of the centre in surround sound, to which FFmpeg gives 0.2 to 0.4
_HEARD = 0.001  # power of the centre, of that of the louder side, from which it is used
CLOCK_TOLERANCE = 0.05  # seconds; containers round times to milliseconds or to a frame; more than this is a real gap

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AudioBlock:
    """Consecutive mono samples, float32 of shape (n,) in -1..1; `start` is in seconds from the media's origin."""

    start: float
    samples: Samples
    rate: int

    @property
    def end(self) -> float:
        """When it ends, in seconds."""
        return self.start + len(self.samples) / self.rate


def read_audio(
    path: Path,
    media: MediaInfo,
    *,
    rate: int = 16_000,
    span: TimeSpan | None = None,
    check_cancelled: Callable[[], None] = lambda: None,
) -> Iterator[AudioBlock]:
    """Decode the audio track that is read (`MediaInfo.sound`); yields nothing if the file has none.

    Blocks are `BLOCK_SECONDS` long except where the audio ends or its presentation times jump: a gap in the file is a
    gap between blocks, not made-up silence, unless it is one: recorders of calls leave silence out of Opus in Matroska.
    Broken packets are skipped, and a truncated tail ends the reading; both are logged. Channels are mixed down with
    weights that sum to at most 1, so nothing clips, unless they would cancel each other, as they do where one is
    inverted: then the loudest is taken.

    Raises:
        MediaError: if the file can't be opened.
    """
    sound = media.sound
    if sound is None:
        return
    span = span or TimeSpan(start=0.0, end=float(10**9))
    blocks = _Blocks(rate, span)
    for link in media.links or (None,):
        if link and link.time + link.length <= span.start:
            continue
        with open_media(path, (link.first, link.last) if link else None) as container:
            stream = container.streams.audio[0] if link else container.streams[sound.index]
            assert isinstance(stream, AudioStream)
            origin = link.origin - link.time if link else media.origin
            entry = span.start - SEEK_MARGIN
            if entry > (link.time if link else 0.0):
                with suppress(FFmpegError):  # read unseekable files from the start
                    seek(container, stream, origin + entry, media.marks)
            sparse = sound.codec == "opus" and "matroska" in container.format.name
            for frame, lost in _frames(container, stream, path, media.marks):
                check_cancelled()
                time = None if frame.time is None else frame.time - origin
                if sparse and not lost and time is not None:
                    yield from blocks.keep_silent(time, media.pauses)
                yield from blocks.add(frame, time)
                if blocks.past_end:
                    break
        if blocks.past_end:
            break
    yield from blocks.finish()


def _frames(
    container: InputContainer, stream: AudioStream, path: Path, marks: Sequence[ClockMark]
) -> Iterator[tuple[AudioFrame, bool]]:
    """The frames, each with whether data was lost before it, as far as the places of packets tell."""
    broken, reached, alone = 0, 0, len(container.streams) == 1
    packets: Iterator[Any] = on_one_clock(container.demux(stream), marks)
    while True:
        try:
            packet = next(packets)
        except StopIteration:
            break
        except FFmpegError as error:
            _log.debug("%s: audio ended early: %s.", path.name, error.strerror)
            break
        hole = alone and packet.pos is not None and 0 < reached < packet.pos - HOLE
        reached = reached if packet.pos is None else packet.pos + packet.size
        try:
            decoded = packet.decode()
        except FFmpegError:
            broken += 1
            continue
        yield from ((frame, hole) for frame in decoded)
    if broken:
        _log.debug("%s: skipped %d broken audio packets.", path.name, broken)


class _Blocks:
    """Resamples frames and cuts them into blocks; a clock jump or a new sample format starts a new block."""

    def __init__(self, rate: int, span: TimeSpan) -> None:
        self._rate = rate
        self._span = span
        self._resampler: AudioResampler | None = None
        self._format: tuple[str, str, int] | None = None
        self._start = 0.0  # time of the first pending sample
        self._fed = 0.0  # end time of the frames fed so far
        self._pending: list[Samples] = []
        self._pending_count = 0  # samples
        self._centred = False  # once the centre was heard: the level of the sides changes once at most
        self.past_end = False

    def add(self, frame: AudioFrame, time: float | None) -> Iterator[AudioBlock]:
        """Add a frame, with its time or None if the file has no times; yields the blocks it completes."""
        time = self._fed if time is None else time
        layout = (frame.format.name, frame.layout.name, frame.sample_rate)
        if self._resampler is not None and time < self._fed - CLOCK_TOLERANCE:
            return  # an out-of-order frame, whose time is already covered
        if self._resampler is None or layout != self._format or time > self._fed + CLOCK_TOLERANCE:
            yield from self.finish()
            # Surround sound is mixed to two channels and the centre here, and those to one in `_mixed`.
            several = frame.layout.nb_channels > 1
            centred = several and any(channel.name == "FC" for channel in frame.layout.channels)
            mixed = "3.0" if centred else "stereo" if several else "mono"
            self._resampler = AudioResampler(format="s16", layout=mixed, rate=self._rate)
            self._format, self._start, self._fed = layout, time, time
        self._fed += frame.samples / frame.sample_rate
        self.past_end = self._fed >= self._span.end
        self._take(frame)
        size = BLOCK_SECONDS * self._rate
        while self._pending_count >= size:
            yield from self._cut(size)

    def keep_silent(self, until: float, pauses: Sequence[TimeSpan]) -> Iterator[AudioBlock]:
        """Add silence up to a time, if there was sound before it and no pause; yields the blocks it completes."""
        if any(pause.start < until and pause.end > self._fed for pause in pauses):
            return
        while self._format and until > self._fed + CLOCK_TOLERANCE and not self.past_end:
            name, layout, rate = self._format
            frame = AudioFrame(name, layout, min(rate, round((until - self._fed) * rate)))
            frame.sample_rate = rate
            for plane in frame.planes:
                plane.update(bytes(plane.buffer_size))
            yield from self.add(frame, self._fed)

    def finish(self) -> Iterator[AudioBlock]:
        """Yield the remaining samples."""
        if self._resampler is not None:
            self._take(None)
            yield from self._cut(self._pending_count)
            self._resampler = None

    def _take(self, frame: AudioFrame | None) -> None:
        assert self._resampler is not None
        for resampled in self._resampler.resample(frame):
            channels = resampled.layout.nb_channels
            samples = resampled.to_ndarray().reshape(-1, channels).astype(np.float32) * np.float32(1 / 32768)
            if not self._pending_count:
                # Drop samples before the requested span (or the origin).
                ahead = min(len(samples), max(0, round((self._span.start - self._start) * self._rate)))
                samples = samples[ahead:]
                self._start += ahead / self._rate
            self._pending.append(samples)
            self._pending_count += len(samples)

    def _cut(self, size: int) -> Iterator[AudioBlock]:
        joined = np.concatenate(self._pending) if self._pending_count else np.zeros((0, 1), np.float32)
        first, rest = joined[:size], joined[size:]
        self._centred = self._centred or _has_centre(first)
        block = _mixed(first, centred=self._centred)
        kept = min(len(block), max(0, round((self._span.end - self._start) * self._rate)))
        if kept:
            yield AudioBlock(round(self._start, 6) + 0.0, block[:kept], self._rate)
        self._start += len(block) / self._rate
        # What follows may have another number of channels.
        self._pending, self._pending_count = [rest] if len(rest) else [], len(rest)


def _has_centre(channels: Samples) -> bool:
    """Whether there is a centre that is heard beside the sides; some programs write one and leave it silent."""
    powers = np.square(channels).sum(axis=0)
    return len(powers) > 2 and bool(powers[2] > _HEARD * powers[:2].max())


def _mixed(channels: Samples, *, centred: bool = False) -> Samples:
    """The mean of channels, (n,) of (n, channels), or the loudest of them where little would be left of it.

    Of left, right and centre, the centre counts most if it is used at all: films are mixed with their speech there.
    """
    if channels.shape[1] > 2:
        sides, centre = _mixed(channels[:, :2]), channels[:, 2]
        return np.asarray(sides + _CENTRE * (centre - sides), np.float32) if centred else sides
    mean = np.asarray(channels.mean(axis=1), np.float32)
    powers = np.square(channels).sum(axis=0)
    if float(np.square(mean).sum()) < _CANCELLED * float(powers.mean()):
        return np.ascontiguousarray(channels[:, powers.argmax()])
    return mean
