"""The part of a video that a question names: between two times, at one, its first seconds, a shot."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.errands import is_errand
from longtake.agent.orientation import CODE, ORDINALS, QUOTATION
from longtake.memory.timespan import TIME, SpanError, TimeSpan, parse_span, parse_time

_CLOCK = rf"(?<![\d:,])(?!{CODE}){TIME}(?![\d:])"
_UNIT = r"\s*(?:seconds?|secs?|s)\b"
_MINUTES = re.compile(
    r"(?:(?<=\D)|^)(\d+(?:\.\d+)?)\s*(?:minutes?|mins?)\b(?:\s*(?:and\s*)?(\d+(?:\.\d+)?)\s*(?:seconds?|secs?|s)\b)?"
)
SHOT = rf"\b(?:({'|'.join(ORDINALS)})\s+(?:shot|scene)|shot\s+(\d+))\b"


def named_span(question: str, duration: float, shots: Sequence[TimeSpan]) -> tuple[TimeSpan | None, bool]:
    """The part of a video that a question names, and whether it is a single moment.

    Args:
        question: as asked.
        duration: seconds of the video.
        shots: its shots in order, for "in the second shot".

    Raises:
        SpanError: when the time it names lies outside the video.
    """
    if is_errand(question):
        return None, False
    text = QUOTATION.sub(" ", question.casefold())
    text = _MINUTES.sub(lambda m: f" {float(m[1]) * 60 + float(m[2] or 0):g} s ", text)
    pair = re.search(rf"({_CLOCK})(?:{_UNIT})?\s*(?:-|–|—|to|until|and)\s*({_CLOCK})({_UNIT})?", text)
    if pair and (":" in pair[1] or pair[3]):
        return parse_span([parse_time(pair[1]), parse_time(pair[2])], window=0, duration=duration).span, False
    edge = re.search(rf"\b(first|last)\s+({_CLOCK}){_UNIT}", text)
    if edge:
        seconds = min(duration, parse_time(edge[2]))
        start = 0.0 if edge[1] == "first" else duration - seconds
        return TimeSpan(start=start, end=start + seconds), False
    single = re.search(rf"({_CLOCK}){_UNIT}|(?<![\d:])(?!{CODE})((?:\d+:)?\d{{1,3}}:[0-5]\d(?:\.\d+)?)(?![\d:])", text)
    if single and (single[2] or not re.search(r"how (?:many|long)[^?]*$", text[: single.start()])):
        moment = parse_time(single[1] or single[2])
        if moment > duration:
            parse_span(moment, window=0, duration=duration)
        return TimeSpan(start=moment, end=moment), True
    return _named_shot(text, shots), False


def _named_shot(text: str, shots: Sequence[TimeSpan]) -> TimeSpan | None:
    match = re.search(SHOT, text)
    if not match or not shots:
        return None
    number = ORDINALS[match[1]] if match[1] else int(match[2]) - 1
    if number >= len(shots) or (number < 0 and match[2]):
        raise SpanError(f"the video has {len(shots)} shots, so there is no shot {number + 1}")
    return shots[number]
