"""Reads what a question says in finitely many ways, by rules: times, places, and what it refers to in earlier turns.

Times, beginnings, ends, ordinals, anchors and places in the frame name a part of the video. "How much does it cost?" is
read together with the question before it. "That slide" or "then" is the moment that proves the last answer. What a
question is about is learned (`reader`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from text_to_num import alpha2digit

from longtake.agent.query.query import Anchor, Relation, Scope
from longtake.language.text import words_of
from longtake.language.words import STOPWORDS, TELLING, content_stems, stem, stems, words
from longtake.memory.records import Citation
from longtake.memory.timespan import SpanError, TimeSpan, clock, parse_time

QUOTATION = re.compile(r"[\"“”«»„]([^\"“”«»„]+)[\"“”«»„]|(?<!\w)['‘]([^'’]{2,})['’](?!\w)")
TIMECODE = re.compile(r"\d+(?::\d+){3,}")  # such as 01:00:32:03, which isn't a time of the video
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_PLACES = {word: place for place, word in enumerate(_ORDINAL_WORDS)}
_PLACES |= {f"{place + 1}{('st', 'nd', 'rd')[place] if place < 3 else 'th'}": place for place in range(20)}
_PLACES |= {"opening": 0, "last": -1, "final": -1, "closing": -1}
_VERB_WITHIN = 3  # words after "who", as in "who else has mentioned"
_DURING = frozenset({"in", "during", "throughout", "at"})  # what follows names the recording: "in this meeting"
_BE = frozenset({"is", "are", "was", "were"})
_NTH = "|".join(_PLACES)
_APART = re.compile(rf"(\b(?:{'|'.join(_ORDINAL_WORDS)})\b|[,;.!?]\s+)")

# A time or a length: on a clock, behind its unit ("minute 5"), or in units ("1 h 5 min", "3m 20s"). "3 m" alone is a
# distance, and "3 m/s" and "12 m²" are no times either.
_NUMBER = r"\d+(?:[.,]\d+)?"
_TIME = re.compile(
    r"(?<![\w.:,])(?:(?P<clock>(?:\d{1,3}:)?\d{1,4}:[0-5]\d(?:\.\d+)?)(?![\d:])"
    rf"|(?P<unit>second|minute|hour)s? (?P<count>{_NUMBER})\b(?! (?:of|seconds?|minutes?|hours?)\b)"
    rf"|(?:(?P<hour>{_NUMBER})[\s-]*(?:hours?|hrs?|h)\b[ ,]*(?:and )?)?"
    rf"(?:(?P<minute>{_NUMBER})(?:[\s-]*(?:minutes?|mins?)|m| m(?= \d+ s\b))\b(?![/²³^])[ ,]*(?:and )?)?"
    rf"(?:(?P<second>{_NUMBER})[\s-]*(?:seconds?|secs?|s)\b(?![/²³^]))?)"
)
_SIZE = {"second": 1, "minute": 60, "hour": 3600}
# "Half a minute", and "a minute in", but not "in a minute"; the first unit of "from 10 to 20 seconds".
_HALF = re.compile(r"\bhalf (?:an? |the )?(?=minute|hour)|\ban? (?=(?:minute|hour)s? (?:and|in|into|mark)\b)")
_RANGE = re.compile(rf"({_NUMBER})( ?(?:-|–|—|to|and|until|through) ?{_NUMBER} ?(seconds?|secs?|minutes?|mins?|s)\b)")
_T = r"(\d+(?:\.\d+)?)§"
_PAIR = re.compile(rf"{_T} *(?:mark *)?(?:-|–|—|\b(?:to|and|until|till|through)\b) *(?:the )?{_T}")
_EDGE_LENGTH = re.compile(rf"\b(first|opening|initial|last|final|closing) (?:(?:\w+ )?{_T}|(minute|hour)\b)")
_POINT = re.compile(rf"\bhow (?:many|long|much)[^?]*|{_T}")  # after "how long", a time is no moment
EDGES = stems("start beginning outset opening end ending close finish conclusion")
_BEGINS = frozenset("start starts begin begins beginning outset opening opens open first".split())
_WHOLE = r"(?:whole |entire )?(?:video|clip|film|recording|movie|footage|talk|song|track|audio|file|lecture|episode)\b"
_EDGE = re.compile(
    rf"\b(half-?way|midway|in the middle of the {_WHOLE}|mid-(?:video|clip))\b"
    r"|\b(?:at|in|from|near|towards?|by|on|around) (?:the )?(?:very )?"
    r"(?:start|beginning|outset|opening|begin|end|ending|close|finish|conclusion)\b"
    rf"(?! (?:to|till|until) | of the (?!{_WHOLE}))"
    r"|\b(?:opening|first|closing|final|last) (?:few )?(?:frames?|moments?|seconds|pictures?|images?)\b"
    r"|\b(?:how|what)\b[^?]*\bdoes (?:it|the \w+) (?:start|begin|open|end|finish|close)\b"
)
# "The third line", "shot 4", "the second shot", "is shown first?"; not "how long does it last?".
_ORDINAL = re.compile(
    rf"\b(?:the )?(?:very )?(?P<nth>{_NTH}) (?:shot|scene|clip)\b|\b(?:shot|scene) (?:number )?(?P<shot>\d+)\b"
    rf"|\b(?:the|very|its|comes?) (?P<place>{_NTH})\b(?! *(?:§|half|time|name|minute|hour|few))"
    r"|\b(?:is|are|was|were|comes?|came|\w{2,}ed|\w{4,}s|shown|seen|done|said|spoken|written|heard)"
    r" (?P<end>first|last)(?=\W*$| *[,;.?])"
)
_ANCHOR = re.compile(
    r"\bbetween ([^,;?!]+?) and ([^,;?!]+)"
    r"|\b(?:(after|following|once|as soon as|since)|(before|until|prior to|preceding|ahead of)|(while|when|during|as)) "
    r"(?!(?:is|are|was|were|do|does|did|will|can|has|have|all)\b|(?:that|it)\b\W*$)([^,;?!]+)"
)
_RELATIONS: tuple[Relation, ...] = ("after", "before", "while")
_FRAMES = "screen picture frame image slide".split()
_CENTRES = tuple(f"{centre} of the {frame}" for centre in ("middle", "centre", "center") for frame in _FRAMES)
_ACROSS = {"left": (0.0, 0.5), "right": (0.5, 0.5)}
_DOWN = {"top": (0.0, 0.5), "upper": (0.0, 0.5), "bottom": (0.5, 0.5), "lower": (0.5, 0.5)}
_IN_FRAME = {*_FRAMES, "corner", "side", "edge", "half", "display", "view"}

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
    text = " ".join(in_seconds(QUOTATION.sub(" ", question)).split())
    ordinal = _ORDINAL.search(text)
    of_shot = ordinal is not None and bool(ordinal["nth"] or ordinal["shot"])
    span, point = _timed(text, duration)
    if span is None and of_shot and ordinal and shots:
        span = _shot(_PLACES[ordinal["nth"]] if ordinal["nth"] else int(ordinal["shot"]) - 1, shots)
    named = span is not None
    return Scope(
        span=span or _edge(text, duration),
        point=point,
        named=named,
        ordinal=_PLACES[ordinal["place"] or ordinal["end"]] if ordinal and not of_shot else None,
        anchors=() if named else _anchors(question),
        region=_region(text),
    )


def quoted(question: str) -> tuple[str, ...]:
    """Text in quotation marks, and codes such as 01:00:32:03."""
    marked = [first or second for first, second in QUOTATION.findall(question)]
    return tuple(dict.fromkeys([*marked, *TIMECODE.findall(question)]))


def what_is_said(question: str) -> str:
    """What a question that asks who says it is about: "the voltage" of "who mentions the voltage?"; else empty."""
    asked = question.strip(" ?!.").split()
    plain = [word.casefold() for word in asked]
    start = plain.index("who") + 1 if "who" in plain else len(plain)
    for place, word in enumerate(plain[start : start + _VERB_WITHIN], start):
        if stem(word) in TELLING:
            rest = " ".join(asked[place + 1 :])
            within = _DURING.intersection(plain[place + 1 : place + 2])
            return rest if set(content_stems(rest)).difference(_PLACES) and not within else ""
        if word in _BE and not any(each.endswith("ing") for each in plain[place + 1 : place + 2]):
            break  # "Who is mentioned first?" asks for somebody else.
    return ""


def in_seconds(question: str) -> str:
    """The text in lower case, with every time and length in seconds as `754.2§`."""
    plain = TIMECODE.sub(" ", question.casefold())
    # Ordinals stay words: "the first minute".
    parts = [each if each in _PLACES else alpha2digit(each, "en", threshold=0) for each in _APART.split(plain) if each]
    text = _HALF.sub(lambda match: "0.5 " if match[0].startswith("half") else "1 ", "".join(parts))
    return _TIME.sub(_seconds, _RANGE.sub(r"\1 \3\2", text))


def _seconds(match: re.Match[str]) -> str:
    if not match[0]:
        return ""
    if match["clock"]:
        return f"{parse_time(match['clock']):g}§"
    named = {match["unit"]: match["count"]} if match["unit"] else {unit: match[unit] for unit in _SIZE}
    total = sum(_SIZE[unit] * float(count.replace(",", ".")) for unit, count in named.items() if count)
    return f"{total:g}§ "


def _timed(text: str, duration: float) -> tuple[TimeSpan | None, bool]:
    """The span or moment that a text names, given its times in seconds, and whether it is a moment."""
    if pair := _PAIR.search(text):
        start, end = sorted(map(float, pair.groups()))
        return _inside(start, end, duration), False
    if edge := _EDGE_LENGTH.search(text):
        length = min(float(edge[2] or _SIZE[edge[3]]), duration)
        start = 0.0 if _PLACES.get(edge[1], 0) == 0 else duration - length
        return TimeSpan(start=start, end=start + length), False
    single = next((one for one in _POINT.finditer(text) if one[1]), None)
    if single is None:
        return None, False
    moment = float(single[1])
    # Past the end, a time that describes the next word is content: "the 9:15 ferry".
    if moment > duration and any(word not in STOPWORDS for word in words(text[single.end() :])[:1]):
        return None, False
    return _inside(moment, moment, duration), True


def _inside(start: float, end: float, duration: float) -> TimeSpan:
    if start > duration:
        raise SpanError(f"{clock(start)} is outside the video, which ends at {clock(duration, decimals=1)}")
    return TimeSpan(start=start, end=min(end, duration))


def _shot(number: int, shots: Sequence[TimeSpan]) -> TimeSpan:
    if not -len(shots) <= number < len(shots):
        raise SpanError(f"the video has only {len(shots)} shots, so there is no shot {number + 1}")
    return shots[number]


def _edge(text: str, duration: float) -> TimeSpan | None:
    """The beginning, the middle or the end, if a text names it."""
    match = _EDGE.search(text)
    if match is None:
        return None
    length = min(duration / 2, MAX_EDGE_LENGTH, max(SHORTEST_EDGE, EDGE_SHARE * duration))
    rest = duration - length
    start = rest / 2 if match[1] else 0.0 if _BEGINS.intersection(words(match[0])) else rest
    return TimeSpan(start=start, end=start + length)


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
    """The half, quarter or centre of the frame that a text names: left, top, width and height, as shares."""
    if any(centre in text for centre in _CENTRES):
        return 0.25, 0.25, 0.5, 0.5
    named = words(text)
    if _IN_FRAME.isdisjoint(named) and "at the top" not in text and "at the bottom" not in text:
        return None
    across = next((_ACROSS[word] for word in named if word in _ACROSS), None)
    down = next((_DOWN[word] for word in named if word in _DOWN), None)
    if across is None and down is None:
        return None
    (left, width), (top, height) = across or (0.0, 1.0), down or (0.0, 1.0)
    return left, top, width, height


_THIS = frozenset({"that", "this", "same"})
_PARTS = frozenset("slide moment scene shot place part time point".split())  # "that slide", "the same moment"
_BACK = frozenset("he him his she her hers it its they them their theirs".split())
_DEMONSTRATIVES = frozenset("that this those these".split())  # at the end they stand for something: "Who said that?"
_OPENINGS = frozenset("and but so".split())
_ASKING = frozenset("who whom whose when why where how".split())
_INSTEAD = (["what", "about"], ["how", "about"])
_SHORT = 2  # words of a question such as "When exactly?", and content words from which one says what it is about


def resolve(question: str, earlier: Sequence[str]) -> str:
    """The question, followed by the earlier one that it goes on from; unchanged if it stands by itself.

    It goes on if it is about hardly anything and begins with "and" or "what about", has a word such as "it", or only
    asks "when?".

    Args:
        question: as asked.
        earlier: the earlier questions of the thread, oldest first.
    """
    before = next((each for each in reversed(earlier) if not _is_follow_up(each)), "")
    return f"{question} {before}" if before and _is_follow_up(question) else question


def _is_follow_up(question: str) -> bool:
    asked, own = words(question) or [""], len(content_stems(question))
    alone = own == 0 and len(asked) <= _SHORT and asked[0] in _ASKING
    opened = own <= _SHORT and len(_after_opening(asked)) < len(asked)
    return alone or (own < _SHORT and _has_pronoun(asked)) or opened


def refers_back(question: str) -> bool:
    """Whether a question refers back: by a word such as "it", or because it can't be understood by itself."""
    return _is_follow_up(question) or _has_pronoun(words(question))


def _has_pronoun(asked: Sequence[str]) -> bool:
    return not _BACK.isdisjoint(asked) or not _DEMONSTRATIVES.isdisjoint(asked[-1:])


def _after_opening(asked: Sequence[str]) -> Sequence[str]:
    """A question's words without "and", "what about" and the like before them."""
    rest = asked[1:] if asked[:1] and asked[0] in _OPENINGS else asked
    return rest[2:] if rest[:2] in _INSTEAD else rest


def asked_instead(question: str) -> tuple[str, ...]:
    """Stems of what a follow-up such as "And the lamp?" is about, in place of what the question before was about."""
    asked = words(question)
    rest = _after_opening(asked)
    if len(rest) == len(asked) or not rest or rest[0] in _ASKING or not _BACK.isdisjoint(rest):
        return ()
    return tuple(content_stems(" ".join(rest)))


def with_times(question: str, sections: Mapping[str, TimeSpan]) -> str:
    """The question with the times of a section in place of its title, where that stands in quotation marks."""
    times = {
        words_of(title): f"{clock(span.start, decimals=1)} to {clock(span.end, decimals=1)}"
        for title, span in sections.items()
    }
    return QUOTATION.sub(lambda match: times.get(words_of(match[1] or match[2]), match[0]), question)


def pointed_at(question: str, last: Citation | None, duration: float) -> Scope | None:
    """The scope of "that slide" or "then": the last answer's evidence, or what comes after or before it.

    None if the question has no such reference.
    """
    pairs = [*pairwise(["", *words(question)])]
    if last is None or not pairs:
        return None
    before, end = pairs[-1]
    if end in _THIS and before in ("after", "before"):
        later = before == "after"
        beside = (min(last.end, duration), duration) if later else (0.0, last.start)
        return Scope(span=TimeSpan(start=beside[0], end=beside[1]), named=True, ordinal=0 if later else -1)
    there = end in ("there", "then") and before not in _BE  # "How many dogs are there?" points at no place
    pointing = there or any(one in _THIS and other in _PARTS for one, other in pairs)
    return Scope(span=TimeSpan(start=last.start, end=last.end), named=True) if pointing else None
