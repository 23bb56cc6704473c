"""Reads the part of the video that a question names: times, beginnings, ends, ordinals, anchors, places in the frame.

Only for what language expresses in finitely many ways. What a question is about is learned (`reader`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from text_to_num import alpha2digit

from longtake.agent.query.query import Anchor, Relation, Scope
from longtake.language.words import STOPWORDS, TELLING, content_stems, stem, stems, words
from longtake.memory.timespan import SpanError, TimeSpan, clock, parse_time

QUOTATION = re.compile(r"[\"“”«»„]([^\"“”«»„]+)[\"“”«»„]|(?<!\w)['‘]([^'’]{2,})['’](?!\w)")
CODE = r"\d+(?::\d+){3,}"  # such as 01:00:32:03, which isn't a time of the video
# Groups of digits as in telephone numbers, but not years, dates and thousands.
_PHONE = re.compile(
    r"(?<![\w:.,$€£/-])(?<!\d )(?!(?:1\d|20)\d\d[-– ](?:1\d|20)?\d\d\b|[1-9]\d{0,2}(?: \d{3})+(?![ -]?\d))"
    r"\+?\d{2,5}(?:[ -]\d{2,5}){1,5}(?![\w:.,/%-]*\d)"
)
_SHORTEST_PHONE = 6  # digits
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
ORDINALS = {word: place for place, word in enumerate(_ORDINAL_WORDS)}
ORDINALS |= {f"{place + 1}{('st', 'nd', 'rd')[place] if place < 3 else 'th'}": place for place in range(20)}
ORDINALS |= {"opening": 0, "last": -1, "final": -1, "closing": -1}
_NTH = "|".join(ORDINALS)

_PARTS = re.compile(rf"(\b(?:{'|'.join(_ORDINAL_WORDS)})\b|[,;.!?]\s+)")
# Not the units in "3 m/s" and "12 m²"; and "3 m" is a time only as "3m" or in "3 m 20 s".
_SECONDS = r"(?:seconds?|secs?|s)(?![a-z/²³^])"
_MINUTES = r"(?:minutes?|mins?|(?:(?<=\d)m|m(?=\s*\d+\s*s\b)))(?![a-z/²³^])"
_HOURS = r"(?:hours?|hrs?|h)(?![a-z/²³^])"
# Clock times become seconds with the unit "§", and so do lengths in hours, minutes and seconds.
_CLOCK = re.compile(rf"(?<![\d:.,])(?!{CODE})((?:\d{{1,3}}:)?\d{{1,4}}:[0-5]\d(?:[.,]\d+)?)(?![\d:])")
# Lengths without a whole number: "half a minute", "2 and a half hours", and "a minute in", but not "in a minute".
_WORDED = re.compile(
    r"\bhalf (?:an? |the )?(minute|hour)\b|\b(\d+) and a half (minute|hour)s?\b"
    rf"|\ban? (?=(?:{_MINUTES}|{_HOURS})\s+(?:and|in|into|mark)\b)"
)
_LENGTH = re.compile(
    rf"(?<![\w.:])(?:(\d+(?:\.\d+)?)\s*{_HOURS}[ ,]*(?:and )?)?(?:(\d+(?:\.\d+)?)[\s-]*{_MINUTES}[ ,]*(?:and )?)?"
    rf"(?:(\d+(?:[.,]\d+)?)[\s-]*{_SECONDS})?"
)
_BARE_FIRST = re.compile(
    rf"(?<![\w.:§])(\d+(?:\.\d+)?)\s*(?=(?:-|–|—|to|and|until|till|through)\s*\d+(?:\.\d+)?\s*{_SECONDS})"
)
# "Minute 5", but not inside "1 minute 5 seconds".
_UNIT_FIRST = re.compile(
    rf"(?:(?<!\d )|(?!\w+\s+\d+(?:\.\d+)?\s*(?:{_SECONDS}|{_MINUTES})))"
    r"\b(?:hour\s+(\d+)\s+)?(second|minute|hour)s?\s+(\d+(?:\.\d+)?)\b(?!\s*(?:of|§))"
)
_T = r"(\d+(?:\.\d+)?)§"
_PAIR = re.compile(rf"{_T}\s*(?:mark\s*)?(?:-|–|—|\bto\b|\band\b|\buntil\b|\btill\b|\bthrough\b)\s*(?:the\s+)?{_T}")
_EDGE_LENGTH = re.compile(rf"\b(first|opening|initial|last|final|closing)\s+(?:(?:\w+\s+)?{_T}|(minute|hour)\b)")
_POINT = re.compile(rf"\bhow (?:many|long|much)[^?]*|{_T}")  # after "how long", a time is no moment
_SHOT = re.compile(rf"\b(?:({_NTH})\s+(?:shot|scene|clip)|(?:shot|scene)\s+(?:number\s+)?(\d+))\b")
EDGES = stems("start beginning outset opening end ending close finish conclusion")
_START = r"start|beginning|outset|opening|begin"
_END = r"end|ending|close|finish|conclusion"
_WHOLE = r"(?:whole |entire )?(?:video|clip|film|recording|movie|footage|talk|song|track|audio|file|lecture|episode)\b"
_EDGE = re.compile(
    r"(\b(?:half-?way|midway|in the middle of the (?:video|clip|film|recording)|mid-(?:video|clip))\b)"
    rf"|\b(?:at|in|from|near|towards?|by|on|around)\s+(?:the\s+)?(?:very\s+)?(?:({_START})|({_END}))\b"
    rf"(?!\s+(?:to|till|until)\s+(?:the\s+)?(?:{_END})\b)(?! of the (?!{_WHOLE}))"
    r"|\b(?:(opening|first)|(closing|final|last))\s+(?:few\s+)?(?:frames?|moments?|seconds|pictures?|images?)\b"
    r"|\b(?:how|what)\b[^?]*\bdoes (?:it|the \w+) (?:(start|begin|open)|(end|finish|close))\b"
)
_ORDINAL = re.compile(  # also "is shown first?", but not "how long does it last?"
    rf"\b(?:the\s+|very\s+|its\s+|comes?\s+)({_NTH})\b(?!\s*(?:§|half|time|name|minute|hour|few))"
    r"|\b(?:is|are|was|were|comes?|came|appears?|happens?|occurs?|\w{2,}ed|shown|seen|done|said|spoken|written|heard)"
    r"\s+(first|last)\b(?=\W*$|\s*[,;.?])"
)
_ANCHOR = re.compile(
    r"\bbetween\s+([^,;?!]+?)\s+and\s+([^,;?!]+)"
    r"|\b(?:(after|following|once|as soon as|since)|(before|until|prior to|preceding|ahead of)|(while|when|during|as))"
    r"\s+(?!is\b|are\b|was\b|were\b|do\b|does\b|did\b|will\b|can\b|has\b|have\b|that\b\W*$|it\b\W*$|all\b)"
    r"([^,;?!]+)"
)
_RELATIONS: tuple[Relation, ...] = ("after", "before", "while")
_FRAMES = frozenset("screen picture frame image slide".split())
_IN_FRAME = _FRAMES | frozenset("corner side edge half display view".split())
_CENTRES = frozenset(f"{centre} of the {frame}" for centre in ("middle", "centre", "center") for frame in _FRAMES)
_ACROSS = {"left": (0.0, 0.5), "right": (0.5, 0.5)}
_DOWN = {"top": (0.0, 0.5), "upper": (0.0, 0.5), "bottom": (0.5, 0.5), "lower": (0.5, 0.5)}
_LARGE = frozenset("large larger largest big bigger biggest huge".split())

BE = frozenset({"is", "are", "was", "were"})
_VERB_WITHIN = 3  # words after "who", as in "who else has mentioned"
EDGE_SHARE = 0.15  # share of a video that counts as its beginning or end
SHORTEST_EDGE, MAX_EDGE_LENGTH = 3.0, 60.0  # seconds


def read_scope(question: str, duration: float, shots: Sequence[TimeSpan]) -> Scope:
    """The part of a video that a question names.

    Args:
        question: as asked.
        duration: seconds of the video.
        shots: its shots in order, for "in the second shot".

    Raises:
        SpanError: if the named time or shot is outside the video.
    """
    text = in_seconds(QUOTATION.sub(" ", question))
    span, point = _timed(text, duration)
    named = span is not None
    if span is None:
        span = _shot(text, shots)
        named = span is not None
    if span is None:
        span = _edge(text, duration)
    ordinal = _ORDINAL.search(text)
    return Scope(
        span=span,
        point=point,
        named=named,
        ordinal=ORDINALS[ordinal[1] or ordinal[2]] if ordinal and not _SHOT.search(text) else None,
        anchors=() if named else _anchors(question),
        region=_region(text),
        largest=not _LARGE.isdisjoint(words(text)),
    )


def quoted(question: str) -> tuple[str, ...]:
    """Text in quotation marks, codes such as 01:00:32:03, and telephone numbers."""
    marked = [first or second for first, second in QUOTATION.findall(question)]
    dialled = [found for found in _PHONE.findall(question) if sum(map(str.isdigit, found)) >= _SHORTEST_PHONE]
    return tuple(dict.fromkeys([*marked, *re.findall(CODE, question), *dialled]))


def what_is_said(question: str) -> str:
    """What a question that asks who says it is about: "the voltage" of "who mentions the voltage?"; else empty."""
    asked = question.strip(" ?!.").split()
    plain = [word.casefold() for word in asked]
    start = plain.index("who") + 1 if "who" in plain else len(plain)
    for place, word in enumerate(plain[start : start + _VERB_WITHIN], start):
        if stem(word) in TELLING:
            rest = " ".join(asked[place + 1 :])
            return rest if set(content_stems(rest)).difference(ORDINALS) else ""
        if word in BE and not any(each.endswith("ing") for each in plain[place + 1 : place + 2]):
            break  # "Who is mentioned first?" asks for somebody else.
    return ""


def in_seconds(question: str) -> str:
    """The text in lower case, with every time and length in seconds as `754.2§`."""
    plain = re.sub(CODE, " ", question.casefold())
    # Ordinals stay words: "the first minute".
    parts = [each if each in ORDINALS else alpha2digit(each, "en", threshold=0) for each in _PARTS.split(plain) if each]
    text = "".join(parts)
    text = _CLOCK.sub(lambda match: f"{parse_time(match[1]):g}§", text)
    text = _WORDED.sub(_numbered, text)
    text = _BARE_FIRST.sub(r"\1§ ", text)
    text = _UNIT_FIRST.sub(lambda match: f"{3600 * int(match[1] or 0) + float(match[3]) * _SIZE[match[2]]:g}§", text)
    return _LENGTH.sub(_summed, text)


_SIZE = {"second": 1, "minute": 60, "hour": 3600}


def _numbered(match: re.Match[str]) -> str:
    if unit := match[1] or match[3]:
        return f"{(float(match[2] or 0) + 0.5) * _SIZE[unit]:g}§"
    return "1 "


def _summed(match: re.Match[str]) -> str:
    if not any(match.groups()):
        return match[0]
    hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in match.groups())
    return f"{3600 * hours + 60 * minutes + seconds:g}§ "


def _timed(text: str, duration: float) -> tuple[TimeSpan | None, bool]:
    """The span or moment that a text names, given its times in seconds."""
    if pair := _PAIR.search(text):
        start, end = sorted((float(pair[1]), float(pair[2])))
        return _inside(start, end, duration), False
    if edge := _EDGE_LENGTH.search(text):
        return _from_edge(edge[1], float(edge[2] or _SIZE[edge[3]]), duration), False
    single = next((one for one in _POINT.finditer(text) if one[1]), None)
    if single is None:
        return None, False
    moment = float(single[1])
    # Past the end, a time that describes the next word is content: "the 9:15 ferry".
    if moment > duration and any(word not in STOPWORDS for word in words(text[single.end() :])[:1]):
        return None, False
    return _inside(moment, moment, duration), True


def _from_edge(edge: str, length: float, duration: float) -> TimeSpan:
    length = min(length, duration)
    start = 0.0 if edge in ("first", "opening", "initial") else duration - length
    return TimeSpan(start=start, end=start + length)


def _inside(start: float, end: float, duration: float) -> TimeSpan:
    if start > duration:
        raise SpanError(f"{clock(start)} is outside the video, which ends at {clock(duration, decimals=1)}")
    return TimeSpan(start=start, end=min(end, duration))


def _shot(text: str, shots: Sequence[TimeSpan]) -> TimeSpan | None:
    match = _SHOT.search(text)
    if not match or not shots:
        return None
    number = ORDINALS[match[1]] if match[1] else int(match[2]) - 1
    if not -len(shots) <= number < len(shots):
        raise SpanError(f"the video has only {len(shots)} shots, so there is no shot {number + 1}")
    return shots[number]


def _edge(text: str, duration: float) -> TimeSpan | None:
    length = min(duration / 2, MAX_EDGE_LENGTH, max(SHORTEST_EDGE, EDGE_SHARE * duration))
    match = _EDGE.search(text)
    if match is None:
        return None
    if match[1]:
        return TimeSpan(start=duration / 2 - length / 2, end=duration / 2 + length / 2)
    begins = any(match[group] for group in (2, 4, 6))
    return TimeSpan(start=0.0, end=length) if begins else TimeSpan(start=duration - length, end=duration)


def _anchors(question: str) -> tuple[Anchor, ...]:
    """The anchors of a question; "between A and B" is after A and before B."""
    found: list[Anchor] = []
    for match in _ANCHOR.finditer(question[:1].lower() + question[1:]):
        first, second, *relations, phrase = match.groups()
        if first:
            found += [Anchor(relation="after", phrase=first), Anchor(relation="before", phrase=second)]
        else:
            relation: Relation = next(name for name, part in zip(_RELATIONS, relations, strict=True) if part)
            found.append(Anchor(relation=relation, phrase=phrase.strip()))
    return tuple(each for each in found if content_stems(each.phrase))[:2]


def _region(text: str) -> tuple[float, float, float, float] | None:
    """The half, quarter or centre of the frame that a text names."""
    if any(centre in text for centre in _CENTRES):
        return 0.25, 0.25, 0.5, 0.5
    named = words(text)
    if _IN_FRAME.isdisjoint(named) and not any(f"at the {edge}" in text for edge in ("top", "bottom")):
        return None
    across = next((_ACROSS[word] for word in named if word in _ACROSS), None)
    down = next((_DOWN[word] for word in named if word in _DOWN), None)
    if across is None and down is None:
        return None
    left, width = across or (0.0, 1.0)
    top, height = down or (0.0, 1.0)
    return left, top, width, height
