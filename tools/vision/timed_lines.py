"""Reads what a model says of pictures: lines that begin with the time of what they state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from longtake.memory.timespan import SpanError, TimeSpan, parse_time

UNTOLD = re.compile(r"\W*cannot tell\b[\s.:,;*-]*", re.IGNORECASE)
MOST = 40  # lines of a reply that are read
_CLOCK = r"\d{1,4}:[0-5]?\d(?::[0-5]\d)?(?:[.,]\d{1,3})?"
_MARK = r"[\W_]*"  # brackets, bullets, bold
_LINE = re.compile(
    rf"{_MARK}(?:\d{{1,2}}[.)]\s+)?{_MARK}(?:(?:at|from|between)\s+)?({_CLOCK})s?"
    rf"(?:\s*(?:-|–|—|to|and|until)\s*({_CLOCK})s?)?{_MARK}\s(.+)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\W*(?:sure|here (?:is|are)|answer)\b.*:\W*$", re.IGNORECASE)
_ROUNDED = 1.0  # seconds by which a model may miss a span, because it writes whole seconds


class TimedStatement(NamedTuple):
    """A statement and its time. `timed` is False if the model gave no time in the spans it was shown."""

    span: TimeSpan
    text: str
    timed: bool = True


class PictureReply(NamedTuple):
    """A model's answer about pictures; `unsure` says why it couldn't tell."""

    said: tuple[TimedStatement, ...] = ()
    unsure: str = ""


def read_reply(text: str, spans: Sequence[TimeSpan]) -> PictureReply:
    """A reply of timed lines about spans in order; one in prose stays whole.

    A line without a time in the spans applies to all of them.
    """
    whole = TimeSpan(start=spans[0].start, end=spans[-1].end)
    lines = [line.strip() for line in text.splitlines() if any(map(str.isalpha, line))]
    timed_lines = [_LINE.fullmatch(line) for line in lines]
    if (untold := UNTOLD.match(text)) and not any(timed_lines):
        return PictureReply(unsure=text[untold.end() :].strip() or "it gave no reason")
    if not any(timed_lines):
        return PictureReply((TimedStatement(whole, text.strip(), timed=False),) if text.strip() else ())
    found: list[TimedStatement] = []
    unsure: list[str] = []
    for line in lines[:MOST]:
        timed = _LINE.fullmatch(line)
        span = _stated(timed[1], timed[2], spans) if timed else None
        statement = timed[3].strip() if timed and span else line.lstrip("-*• ")
        if untold := UNTOLD.match(statement):
            unsure.append(statement[untold.end() :].strip())
        elif span or not _HEADING.match(statement):
            found.append(TimedStatement(span or whole, statement.rstrip(":"), timed=span is not None))
    return PictureReply(tuple(found), " ".join(unsure))


def _stated(first: str, last: str | None, spans: Sequence[TimeSpan]) -> TimeSpan | None:
    """The stated time inside the spans; None if it is elsewhere. A whole second alone means all of that second."""
    with suppress(SpanError):
        start = parse_time(first)
        end = parse_time(last) if last else start if "." in first or "," in first else start + 1
        shown = [span for span in spans if span.start - _ROUNDED <= end and start <= span.end + _ROUNDED]
        if shown and start <= end:
            start = min(max(start, shown[0].start), shown[-1].end)
            return TimeSpan(start=start, end=max(start, min(end, shown[-1].end)))
    return None
