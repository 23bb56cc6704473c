"""Events: merges neighbouring search results into one.

Moments belong together when they overlap or are close in time: a sentence and its continuation, a line on a slide
and the words spoken over it. The best one leads. Three rules keep an event short enough to watch:

- It extends at most `_REACH` beyond the span of its best moment, before and after together.
- A moment longer than `_REACH`, such as a slide, doesn't mark a time. The first shorter moment to join does, and
  the others must be within `_REACH` of that moment. Words spoken at either end of a long slide are two events.
- Only moments that the query found can join; other lines of the same slide add nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from longtake.memory.search.corpus import Corpus
from longtake.memory.search.fusion import RankedPosition
from longtake.memory.timespan import TimeSpan

_GAP = 2.0  # seconds between two moments of one event
_REACH = 30.0  # seconds


@dataclass(slots=True)
class Event:
    """One event: its candidates, best first, the span they cover, and the moment they mark.

    `weak`: it doesn't match the query.
    """

    candidates: list[RankedPosition]
    span: TimeSpan
    weak: bool = False
    moment: TimeSpan | None = field(init=False)
    longest: float = field(init=False)

    def __post_init__(self) -> None:
        self.moment = self.span if self.span.length <= _REACH else None
        self.longest = self.span.length + _REACH

    def accepts(self, span: TimeSpan) -> bool:
        """Whether a moment of this span belongs to the event."""
        if self.span.apart(span) > _GAP or _union(self.span, span).length > self.longest:
            return False
        if self.moment is None or span.length > _REACH:
            return True
        return self.moment.apart(span) <= _GAP and _union(self.moment, span).length <= 2 * _REACH

    def add(self, candidate: RankedPosition, span: TimeSpan) -> None:
        """Add a moment to the event."""
        self.candidates.append(candidate)
        self.span = _union(self.span, span)
        if span.length <= _REACH:
            self.moment = _union(self.moment, span) if self.moment else span


def find_events(candidates: Sequence[RankedPosition], corpus: Corpus, k: int) -> list[Event]:
    """The k best events among candidates sorted best first; each holds its candidates best first."""
    waiting: dict[str, dict[int, RankedPosition]] = {}
    for candidate in candidates:
        waiting.setdefault(corpus.video(candidate.position), {})[candidate.position] = candidate
    spans = {candidate.position: corpus.span(candidate.position) for candidate in candidates}
    events: list[Event] = []
    for candidate in candidates:
        neighbours = waiting[corpus.video(candidate.position)]
        if len(events) < k and candidate.position in neighbours:
            events.append(_grow(candidate, neighbours, spans))
    return events


def _grow(best: RankedPosition, waiting: dict[int, RankedPosition], spans: Mapping[int, TimeSpan]) -> Event:
    """Move everything that belongs to the best candidate's event out of `waiting`."""
    event = Event([waiting.pop(best.position)], spans[best.position])
    while joining := [position for position in waiting if event.accepts(spans[position])]:
        for position in joining:
            if event.accepts(spans[position]):  # the event may have grown too long meanwhile
                event.add(waiting.pop(position), spans[position])
    event.candidates.sort(key=lambda each: each.order)
    return event


def _union(one: TimeSpan, other: TimeSpan) -> TimeSpan:
    return TimeSpan(start=min(one.start, other.start), end=max(one.end, other.end))
