"""The moments that the marks and times of a draft cite, and the citations that an answer makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from longtake.agent.drafts.marks import Mark, Time, stated_times
from longtake.agent.gathering.moments import GENERIC
from longtake.memory.records import Citation, Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.speaker_lines import SPEAKERS

_LONGEST = 120.0  # seconds of a span that cites; a longer one says which part is meant, and proves nothing by itself
_HALF = 0.5  # share of a moment that lies in a span which cites it, or of a span that a passage of speech fills
_SECOND, _TENTH = 1.0, 0.1  # how far a stated time may be off: a second, or this share of a moment


class Cited(NamedTuple):
    """A cited moment: its id, and the seconds that the draft names itself."""

    id: str
    at: TimeSpan | None


def cites(marks: Sequence[Mark], bare: str, moments: Mapping[str, Evidence]) -> tuple[tuple[Cited, ...], int]:
    """The moments that a statement cites by its marks and the times in its bare text, and how many of them are none.

    A time at a moment that is cited by its id says where in it, and cites no other moment of that time: one place has
    one citation. Where there are marks, times outside of them that lie elsewhere cite nothing: they may be times of
    day. Neither do they where the writer of the draft has seen nothing; a judge sees more moments, whose ids begin with
    another letter.
    """
    ids = dict.fromkeys(name for mark in marks for name in mark.ids)
    marked = [time for mark in marks for time in mark.times]
    cited: dict[str, TimeSpan | None] = dict.fromkeys(ids)
    lost = sum(mark.lost for mark in marks)
    for place, time in enumerate([*marked, *map(Time, stated_times(bare))]):
        inside = [
            name
            for name in ids
            if _is_place(moments[name]) and time.video in ("", moments[name].video) and _near(time.span, moments[name])
        ]
        for name in inside:
            whole = time.span.length and _fills(time.span, moments[name])
            cited[name] = cited[name] or (None if whole else time.span)
        found = _at(time, moments)
        if inside and not time.span.length:
            found = found[:1]  # what begins in that second
        if place < len(marked):
            lost += not _is_held(time, moments)
        elif not inside and (ids or marked or not any(name[0] == "m" for name in found)):
            continue
        taken = [moments[name].span for name in inside]
        for name in found:
            if not any(moments[name].span.overlaps(span) for span in taken):
                cited.setdefault(name, time.span)
    return tuple(Cited(name, at) for name, at in cited.items()), lost


def held(mark: Mark, moments: Mapping[str, Evidence]) -> Mark:
    """A mark without the times that point to nothing."""
    return replace(mark, times=tuple(time for time in mark.times if _is_held(time, moments)))


def citations_of(cited: Sequence[Cited], moments: Mapping[str, Evidence]) -> tuple[Citation, ...]:
    """Cited moments as an answer publishes them: one citation for a moment, and one for what fills a span.

    A span that cites several moments of a kind is one place: its quote is what they say, in order.
    """
    found: dict[Any, Citation] = {}
    for each in cited:
        moment = moments[each.id]
        span = _part_of(moment.span, each.at)
        own = Citation.of(moment).model_copy(update={"start": round(span.start, 3), "end": round(span.end, 3)})
        place = (each.at, moment.video, moment.modality) if each.at and each.at.length else each.id
        first = found.setdefault(place, own)
        if first is not own:
            quote, end = f"{first.quote} {own.quote}", max(first.end, own.end)
            found[place] = first.model_copy(update={"start": min(first.start, own.start), "end": end, "quote": quote})
    return tuple(dict.fromkeys(found.values()))


def _part_of(moment: TimeSpan, at: TimeSpan | None) -> TimeSpan:
    """The part of a moment that a draft names; all of it, unless that is clearly less."""
    if at is None or not at.overlaps(moment):
        return moment
    start, end = max(moment.start, at.start), min(moment.end, at.end) if at.length else moment.end
    most = at.length and end - start >= _HALF * moment.length
    return moment if most or end - start < _SECOND else TimeSpan(start=start, end=end)


def _is_held(time: Time, moments: Mapping[str, Evidence]) -> bool:
    """Whether there is anything at a time that cites; a long span only says which part is meant."""
    return time.span.length > _LONGEST or bool(_at(time, moments))


def _at(time: Time, moments: Mapping[str, Evidence]) -> list[str]:
    """The ids of the moments at a time of a draft, the most exact first; of those in a span, in order.

    Whoever writes whole seconds cuts what follows: 01:08 is any time up to 01:09. What begins then comes first, and
    what else is said then is meant, too.
    """
    span = time.span
    if span.length > _LONGEST:
        return []
    second = span if span.length or span.start % 1 else TimeSpan(start=span.start, end=span.start + _SECOND)
    near = {
        name: moment
        for name, moment in moments.items()
        if _is_place(moment) and time.video in ("", moment.video) and _near(span, moment)
    }
    # Not what is there all the time, such as silence, if anything else is.
    near = {name: moment for name, moment in near.items() if not moment.content.startswith(GENERIC)} or near
    if span.length:
        there = [name for name, moment in near.items() if _fills(span, moment)] or [*near]
        return sorted(there, key=lambda name: near[name].span.start)
    begins = {name for name, moment in near.items() if second.start <= moment.span.start < second.end}
    ranked = sorted(near, key=lambda name: (name not in begins, near[name].span.length))
    there = [name for name in ranked if second.overlaps(near[name].span)]
    return [name for name in there if name == there[0] or near[name].modality == "speech"] or ranked[:1]


def _fills(span: TimeSpan, moment: Evidence) -> bool:
    """Whether a span that cites means a moment: half of it lies there, or it is speech that fills half of the span."""
    shared = span.shared(moment.span)
    spoken = moment.modality == "speech" and shared >= _HALF * span.length
    return spoken or (span.overlaps(moment.span) and shared >= _HALF * moment.span.length)


def _is_place(moment: Evidence) -> bool:
    """Whether a moment has a time of its own; facts about a whole recording don't."""
    return moment.modality != "metadata" and moment.engine != SPEAKERS


def _near(span: TimeSpan, moment: Evidence) -> bool:
    return span.apart(moment.span) <= max(_SECOND, _TENTH * moment.span.length)
