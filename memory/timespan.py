"""`TimeSpan`, and the parser for every way people and models write a time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

_CLOCK = r"(?:\d{1,4}:[0-5]?\d|\d{1,3}):[0-5]\d"
_SECONDS = r"\d{1,9}"  # bounded, so that no time overflows to infinity
_UNIT = r"\s*s?(?:ec(?:onds?)?)?\s*"
_BETWEEN = r"(?:(-|–|—|,|\bto\b|\bund?til\b|\band\b|\.\.)"
TIME = rf"{_CLOCK}(?:[.,]\d+)?|{_SECONDS}(?:\.\d+|,\d{{1,2}})?"
CLOCKED = re.compile(r"(?<![\d:.])\d{1,3}:\d\d(?::\d\d)?(?:\.\d+)?(?!\d|:\d)")  # a clock time within a text
_LISTED = rf"{_CLOCK}(?:\.\d+)?|{_SECONDS}(?:\.\d+)?"  # inside brackets a comma separates
_SPAN, _LISTED_SPAN = (
    re.compile(rf"\s*({time}){_UNIT}{_BETWEEN}\s*({time}){_UNIT})?", re.IGNORECASE) for time in (TIME, _LISTED)
)
_AT = re.compile(r"^(?:at|around|about|from|between)\s+", re.IGNORECASE)
_MINUTES = re.compile(
    r"(\d{1,6})\s*m(?:in(?:ute)?s?)?\s*(?:(?:and\s+)?(\d{1,2}(?:\.\d+)?)\s*s(?:ec(?:ond)?s?)?)?\b", re.IGNORECASE
)
_VIDEO = r"(?:video|clip|film|recording)"
_WHOLE = re.compile(rf"(?:the )?(?:all|everything|(?:whole|entire|full)(?: {_VIDEO})?)", re.IGNORECASE)
_TO_END = re.compile(rf"(?<=\W)(?:the )?end(?: of the {_VIDEO})?$", re.IGNORECASE)
_EDGES = {"from": "start", "to": "end"}
# Two bare numbers, or three digits after a comma: a decimal, thousands or two times.
_UNCLEAR = re.compile(r"\s*\d+,\d+\s*|.*(?<![\d:.])\d+,\d{3}.*")
_LONGEST = 10**9  # seconds
_LAST = _LONGEST - 1.0  # past the end of any video
_FINEST = 3  # decimal places of a second
_ROUNDED = 0.001  # seconds by which containers round times, at most


class TimeSpan(BaseModel):
    """Seconds from the first presented frame or sample, half-open: `start <= t < end`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: float
    end: float

    @model_validator(mode="after")
    def _ordered(self) -> TimeSpan:
        if not (math.isfinite(self.start) and math.isfinite(self.end) and 0 <= self.start <= self.end):
            raise ValueError(f"a span needs 0 <= start <= end, got {self.start} to {self.end}")
        return self

    @property
    def length(self) -> float:
        """How long it lasts, in seconds."""
        return self.end - self.start

    def overlaps(self, other: TimeSpan) -> bool:
        """Whether the two share a moment; a zero-length span is a single moment."""
        if self.length == 0 or other.length == 0:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end

    def shared(self, other: TimeSpan) -> float:
        """Seconds that both have."""
        return max(0.0, min(self.end, other.end) - max(self.start, other.start))

    def apart(self, other: TimeSpan) -> float:
        """Seconds between the two; 0 if they touch."""
        return max(0.0, self.start - other.end, other.start - self.end)

    def widened(self, before: float, after: float, duration: float) -> TimeSpan:
        """Grow by seconds on either side, inside a video of `duration` seconds."""
        return TimeSpan(start=max(0.0, self.start - before), end=min(duration, self.end + after))

    def __str__(self) -> str:
        """Two clock times, with the fewest decimals (at most three) that tell them apart."""
        decimals = 0
        while self.length and decimals < _FINEST and self._clocks(decimals)[0] == self._clocks(decimals)[1]:
            decimals += 1
        return "-".join(self._clocks(decimals))

    def _clocks(self, decimals: int) -> tuple[str, str]:
        return clock(self.start, decimals=decimals), clock(self.end, decimals=decimals)


def joined(spans: Iterable[TimeSpan], gap: float = 0.0) -> tuple[TimeSpan, ...]:
    """Merge spans at most `gap` seconds apart; the result is in order."""
    union: list[TimeSpan] = []
    for span in sorted(spans, key=lambda span: span.start):
        if union and span.start <= union[-1].end + gap:
            union[-1] = TimeSpan(start=union[-1].start, end=max(union[-1].end, span.end))
        else:
            union.append(span)
    return tuple(union)


def remaining(spans: Iterable[TimeSpan], taken: Iterable[TimeSpan]) -> tuple[TimeSpan, ...]:
    """The parts of spans that no taken span covers, in order; both may overlap among themselves."""
    left: list[TimeSpan] = []
    holes = joined(taken)
    for span in joined(spans):
        start = span.start
        for hole in holes:
            if hole.start > start and hole.start < span.end:
                left.append(TimeSpan(start=start, end=hole.start))
            if hole.end > start and hole.start < span.end:
                start = hole.end
        if start < span.end:
            left.append(TimeSpan(start=start, end=span.end))
    return tuple(left)


class SpanError(ValueError):
    """The text isn't a time, or the time is outside the video; the message says which."""


@dataclass(frozen=True, slots=True)
class ParsedSpan:
    """A span and, in `notes`, the corrections made to get it; `point` is the single time that was meant, if one was."""

    span: TimeSpan
    notes: tuple[str, ...] = ()
    point: float | None = None


def clock(seconds: float, *, decimals: int = 0) -> str:
    """Format seconds as `HH:MM:SS`, optionally with decimals. What a container rounded to 19.999 s is 20 s."""
    scale = 10**decimals
    ticks = math.floor((seconds + (_ROUNDED if decimals < _FINEST else 0.0)) * scale + 1e-6)
    whole, fraction = divmod(ticks, scale)
    text = f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    return f"{text}.{fraction:0{decimals}d}" if decimals else text


def parse_time(text: str) -> float:
    """Parse `754.2`, `12:34` or `00:12:34.5` as seconds.

    Raises:
        SpanError: if the text is none of these.
    """
    if not re.fullmatch(TIME, text.strip()):
        raise SpanError(f"{text!r} is not a time; write seconds (754.2) or a clock time (00:12:34)")
    seconds = 0.0
    for part in text.strip().replace(",", ".").split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def parse_span(value: Any, *, window: float, duration: float) -> ParsedSpan:
    """Parse a time or a span in any spelling, and fit it into the video.

    Args:
        value: `754.2`, `"12:34"`, `"00:12:30-00:13:00"`, `"12:30 to end"`, `"all"`, `[750, 780]`,
            `{"start": 750, "end": 780}` or a `TimeSpan`.
        window: width in seconds to which a single time is widened, centred on it.
        duration: length of the video in seconds.

    Raises:
        SpanError: if it isn't a time, or is entirely outside the video.
    """
    start, end = _bounds(value)
    notes: list[str] = []
    if end is None:
        point, start, end = start, max(0.0, start - window / 2), start + window / 2
        if point > duration:
            raise SpanError(_outside(clock(point), duration))
        if window:
            notes.append(f"a single time, widened to {window:g} s around {clock(point, decimals=1)}")
        return ParsedSpan(TimeSpan(start=start, end=max(start, min(end, duration))), tuple(notes), point)
    if end < start:
        start, end = end, start
        notes.append("the bounds were reversed and have been swapped")
    if start >= duration + _ROUNDED > _ROUNDED or (duration <= 0 < start):
        raise SpanError(_outside(str(TimeSpan(start=start, end=end)), duration))
    if end > duration:
        if end != _LAST and end > duration + _ROUNDED:
            notes.append(f"clipped to the end of the video at {clock(duration, decimals=1)}")
        start, end = min(start, duration), duration
    return ParsedSpan(TimeSpan(start=start, end=end), tuple(notes))


def _outside(place: str, duration: float) -> str:
    return f"{place} is outside the video, which ends at {clock(duration, decimals=1)}"


def _bounds(value: Any) -> tuple[float, float | None]:
    if isinstance(value, TimeSpan):
        return value.start, value.end
    if isinstance(value, str):
        return _written_bounds(value)
    if isinstance(value, Mapping):
        value = {_EDGES.get(key, key): bound for key, bound in value.items()}
    if isinstance(value, Mapping) and "start" in value:
        unknown = sorted(str(key) for key in value if key not in ("start", "end"))
        if unknown:
            raise SpanError(f"{', '.join(unknown)} isn't part of a span; write {{'start': 750, 'end': 780}}")
        return _number(value["start"]), _number(value["end"]) if value.get("end") is not None else None
    if isinstance(value, Sequence) and len(value) in (1, 2):
        return _number(value[0]), _number(value[1]) if len(value) == 2 else None
    return _number(value), None


def _written_bounds(text: str) -> tuple[float, float | None]:
    if _WHOLE.fullmatch(text.strip()):
        return 0.0, _LAST
    body = _TO_END.sub(f"{_LAST:.0f}", _MINUTES.sub(_in_seconds, _AT.sub("", text.strip())))
    listed = body.startswith("[") or body.endswith("]")
    match = (_LISTED_SPAN if listed else _SPAN).fullmatch(body.removeprefix("[").removesuffix("]"))
    # A clock time listed next to bare seconds may be one clock time with decimals.
    mixed = match and listed and match[2] == "," and (":" in match[1]) != (":" in match[3])
    if mixed or (not listed and _UNCLEAR.fullmatch(body)):
        raise SpanError(
            f"{text!r} is ambiguous: its comma could separate two times or be a decimal point; "
            "write 00:12:34.5 for a time or 00:12:30-00:13:00 for a span"
        )
    if not match:
        raise SpanError(f"{text!r} is not a time or span; write 00:12:34 or 00:12:30-00:13:00")
    return parse_time(match[1]), parse_time(match[3]) if match[3] else None


def _in_seconds(minutes: re.Match[str]) -> str:
    """`1m 30s`, `12 min` in seconds."""
    return f"{60 * int(minutes[1]) + float(minutes[2] or 0):g}"


def _number(value: Any) -> float:
    if isinstance(value, str):
        return parse_time(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _LONGEST:
        raise SpanError(f"{value!r} is not a time; write seconds (754.2) or a clock time (00:12:34)")
    return float(value)
