"""Tracks which spans of a video were examined, and warns about parts that are damaged or cut off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import av

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.media import MediaInfo, declared_end, last_packet_end

_UNDECLARED = frozenset({"aac", "mp3"})  # formats that don't declare a length: FFmpeg estimates it
_UNKNOWN_BYTES = 0x7FFF_0000  # programs that write to a pipe declare this size or more
_AVI_HEAD = 52  # bytes up to the number of frames, behind their microseconds
_NO_LENGTH = 90 * 86_400.0  # seconds; longer than any recording: the length was never filled in
MIN_GAP = 1.0  # seconds; less than this is an uneven clock
SLACK = 1.0  # seconds by which a stream of a complete file may end early


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
        if container.format.name in _UNDECLARED:
            return 0.0
        if container.format.name == "wav" and (size := _sound_bytes(path)) < _UNKNOWN_BYTES:
            return size * 8 / (stream.codec_context.bit_rate or 1)  # FFmpeg tells what is there
        # Without an index, FFmpeg estimates the length of an AVI file.
        told = _avi_seconds(path) if container.format.name == "avi" and stream.type == "video" else 0.0
        if declared := told or declared_end(container, stream):
            return declared - media.origin if declared < _NO_LENGTH else 0.0
        # Matroska declares only the length of the whole file, which is cut if none of its streams lasts as long.
        whole = (container.duration or 0) / av.time_base
        streams = [each.index for each in container.streams]
    return whole - media.origin if last_packet_end(path, streams) < whole - SLACK else 0.0


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


def warn_of_gaps(
    spans: Sequence[TimeSpan],
    what: str,
    promised: float,
    warn: Callable[[str], None],
    *,
    pauses: Sequence[TimeSpan] = (),
) -> None:
    """Warn about gaps between spans given in order, and about a missing end.

    Args:
        spans: the spans examined.
        what: the picture, the sound or a subtitle track.
        promised: the end that the file declares, in seconds; 0.0 if none.
        warn: takes each sentence.
        pauses: of the recording.
    """
    for before, after in pairwise(spans):
        if after.start - before.end < MIN_GAP:
            continue
        gap, where = TimeSpan(start=before.end, end=after.start), f"between {before.end:.1f} s and {after.start:.1f} s"
        if any(gap.overlaps(pause) for pause in pauses):
            warn(f"there is no {what} {where}: the recording paused, or a part of it is lost")
        else:
            warn(f"the {what} {where} is missing or damaged and was skipped")
    end = spans[-1].end if spans else 0.0
    if end < promised - SLACK:
        warn(f"the {what} ends at {end:.1f} s, but the file says {promised:.1f} s: it may be incomplete")


class CoveredSpans:
    """Collects the spans that frames cover, in seconds; can be pickled midway and resumed."""

    def __init__(self) -> None:
        self._spans: list[tuple[float, float]] = []
        self._lost = 0.0  # seconds of gaps too short to split the spans

    def observe(self, time: float, duration: float) -> None:
        """Add the next frame in presentation order, with its time and duration in seconds.

        A still frame lasts until the next one; only damage leaves a gap between two.
        """
        end = time + duration
        if self._spans and time - self._spans[-1][1] <= MIN_GAP:
            start, before = self._spans.pop()
            self._lost += max(0.0, time - before)
            self._spans.append((start, max(before, end)))
        else:
            self._spans.append((time, end))

    def spans(self) -> list[TimeSpan]:
        """The spans covered so far, in order."""
        return [TimeSpan(start=start, end=end) for start, end in self._spans]

    def lost(self) -> float:
        """Seconds missing within the spans, in gaps too short to split them."""
        return round(self._lost, 3)
