"""Which spans of a video were looked at: those that its frames were on the screen, without what was lost to damage."""

from __future__ import annotations

from longtake.memory.timespan import TimeSpan

_SHORTEST_GAP = 1.0  # seconds; less than this is an uneven clock


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
