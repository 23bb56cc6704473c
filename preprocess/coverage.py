"""Which spans of a video were looked at: those that its frames were on the screen, without what was lost to damage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from longtake.memory.timespan import TimeSpan

_SHORTEST_GAP = 1.0  # seconds; less than this is an uneven clock


def warn_of_gaps(spans: Sequence[TimeSpan], what: str, warn: Callable[[str], None]) -> None:
    """Say what was not examined between spans that are given in order; `what` names the picture or the sound."""
    for before, after in pairwise(spans):
        if after.start - before.end >= _SHORTEST_GAP:
            warn(f"the {what} between {before.end:.1f} s and {after.start:.1f} s is damaged and was not examined")


class CoveredSpans:
    """Gathers the spans that frames cover, in seconds; can be pickled in the middle and carried on."""

    def __init__(self) -> None:
        self._spans: list[TimeSpan] = []

    def see(self, time: float, duration: float) -> None:
        """Take the next frame in presentation order: when it was presented, and for how many seconds.

        A frame that stands still lasts until the next one; only damage leaves a gap between two.
        """
        end = time + duration
        if self._spans and time - self._spans[-1].end <= _SHORTEST_GAP:
            last = self._spans.pop()
            self._spans.append(TimeSpan(start=last.start, end=max(last.end, end)))
        else:
            self._spans.append(TimeSpan(start=time, end=end))

    def spans(self) -> list[TimeSpan]:
        """What was covered so far, in order."""
        return list(self._spans)
