"""Events: neighbouring documents that were found become one result.

Documents belong together when they overlap or lie close in time: a sentence and its continuation, a line of a slide and
the words spoken over it. The best one leads, and three bounds keep an event something a person can look at:

- it reaches at most `_REACH` beyond the span of its best document, before and after together;
- what stands longer than `_REACH`, a slide for one, tells no moment: the first shorter document that joins it does, and
  the further ones must lie within `_REACH` of that moment. What is said at two ends of a long slide is two events;
- only what the query itself found can join: other lines of the same slide add nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from longtake.memory.search.corpus import Corpus
from longtake.memory.search.fusion import Candidate
from longtake.memory.timespan import TimeSpan

_GAP = 2.0  # seconds between two documents of one event
_REACH = 30.0  # seconds


@dataclass(slots=True)
class Event:
    """What was found of one event: the best candidate first, the span of all, and the moment it tells of.

    `weak`: nothing of the query was found in it.
    """

    candidates: list[Candidate]
    span: TimeSpan
    weak: bool = False
    moment: TimeSpan | None = field(init=False)
    longest: float = field(init=False)

    def __post_init__(self) -> None:
        self.moment = self.span if self.span.length <= _REACH else None
        self.longest = self.span.length + _REACH

    def takes(self, span: TimeSpan) -> bool:
        """Whether a document of this span belongs to the event."""
        if _gap(self.span, span) > _GAP or _union(self.span, span).length > self.longest:
            return False
        if self.moment is None or span.length > _REACH:
            return True
        return _gap(self.moment, span) <= _GAP and _union(self.moment, span).length <= 2 * _REACH

    def add(self, candidate: Candidate, span: TimeSpan) -> None:
        """Make it part of the event."""
        self.candidates.append(candidate)
        self.span = _union(self.span, span)
        if span.length <= _REACH:
            self.moment = _union(self.moment, span) if self.moment else span


def find_events(candidates: Sequence[Candidate], corpus: Corpus, k: int) -> list[Event]:
    """The k best events among candidates that are given best first; each holds its candidates best first."""
    waiting: dict[str, dict[int, Candidate]] = {}
    for candidate in candidates:
        waiting.setdefault(corpus.video(candidate.position), {})[candidate.position] = candidate
    spans = {candidate.position: corpus.span(candidate.position) for candidate in candidates}
    events: list[Event] = []
    for candidate in candidates:
        neighbours = waiting[corpus.video(candidate.position)]
        if len(events) < k and candidate.position in neighbours:
            events.append(_grow(candidate, neighbours, spans))
    return events


def _grow(best: Candidate, waiting: dict[int, Candidate], spans: Mapping[int, TimeSpan]) -> Event:
    """Take all that belongs to the event of the best one out of what waits."""
    event = Event([waiting.pop(best.position)], spans[best.position])
    while joining := [position for position in waiting if event.takes(spans[position])]:
        for position in joining:
            if event.takes(spans[position]):  # it may have grown too long meanwhile
                event.add(waiting.pop(position), spans[position])
    event.candidates.sort(key=lambda each: each.order)
    return event


def _gap(one: TimeSpan, other: TimeSpan) -> float:
    """Seconds between two spans; below 0 where they overlap."""
    return max(one.start, other.start) - min(one.end, other.end)


def _union(one: TimeSpan, other: TimeSpan) -> TimeSpan:
    return TimeSpan(start=min(one.start, other.start), end=max(one.end, other.end))
