"""Tracks which spans of a video were examined, and warns about parts that are damaged or cut off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.stream_ends import SLACK

MIN_GAP = 1.0  # seconds; less than this is an uneven clock


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
