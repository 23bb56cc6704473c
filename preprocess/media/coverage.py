"""Which spans of a video were examined, without what was lost to damage or cut off, and what is said of the loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import av

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.container import open_media
from longtake.preprocess.media.media import MediaInfo, last_packet_end

_UNTOLD = frozenset({"aac", "mp3"})  # formats that promise nothing: their length is FFmpeg's estimate
_SHORTEST_GAP = 1.0  # seconds; less than this is an uneven clock
SLACK = 1.0  # seconds that a stream of a whole file may lack at its end


def promised_end(path: Path, media: MediaInfo, index: int) -> float:
    """When the stream of this index ends as the file says, in seconds from its origin; 0.0 when it does not say.

    Raises:
        MediaError: when the file cannot be opened.
    """
    with open_media(path) as container:
        stream = container.streams[index]
        if container.format.name in _UNTOLD:
            return 0.0
        if stream.duration and stream.time_base:
            return float(((stream.start_time or 0) + stream.duration) * stream.time_base) - media.origin
        # Matroska promises a length of the whole alone: the file is cut when nothing in it lasts as long.
        whole = (container.duration or 0) / av.time_base
        streams = [each.index for each in container.streams]
    return whole - media.origin if last_packet_end(path, streams) < whole - SLACK else 0.0


def warn_of_gaps(spans: Sequence[TimeSpan], what: str, promised: float, warn: Callable[[str], None]) -> None:
    """Say what was not examined between spans that are given in order, and after them when the file is cut short.

    Args:
        spans: what was examined.
        what: names the picture, the sound or a track of subtitles.
        promised: when it ends as the file says, in seconds; 0.0 when it does not say.
        warn: takes each sentence.
    """
    for before, after in pairwise(spans):
        if after.start - before.end >= _SHORTEST_GAP:
            warn(f"the {what} between {before.end:.1f} s and {after.start:.1f} s is damaged and was not examined")
    end = spans[-1].end if spans else 0.0
    if end < promised - SLACK:
        warn(f"the {what} ends at {end:.1f} s, but the file promises {promised:.1f} s: is it whole?")


class CoveredSpans:
    """Gathers the spans that frames cover, in seconds; can be pickled in the middle and carried on."""

    def __init__(self) -> None:
        self._spans: list[TimeSpan] = []
        self._lost = 0.0  # seconds of gaps that are too short to be left out of the spans

    def observe(self, time: float, duration: float) -> None:
        """Take the next frame in presentation order: when it was presented, and for how many seconds.

        A frame that stands still lasts until the next one; only damage leaves a gap between two.
        """
        end = time + duration
        if self._spans and time - self._spans[-1].end <= _SHORTEST_GAP:
            last = self._spans.pop()
            self._lost += max(0.0, time - last.end)
            self._spans.append(TimeSpan(start=last.start, end=max(last.end, end)))
        else:
            self._spans.append(TimeSpan(start=time, end=end))

    def spans(self) -> list[TimeSpan]:
        """What was covered so far, in order."""
        return list(self._spans)

    def lost(self) -> float:
        """Seconds that are missing within the spans, in gaps too short to divide them."""
        return round(self._lost, 3)
