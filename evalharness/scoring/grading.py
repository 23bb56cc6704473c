"""Decides by rules that a person can check whether an answer contains the gold.

The gold is short text written by a person. Its parts are found like this, and every part has to be in the answer:

- Text in parentheses is an explanation, and optional. In a quotation parentheses are part of the text.
- Quoted strings are parts, word for word. Beside them only the times and numbers of the gold count.
- Without quotations, the gold is split at punctuation, `and` and `or`: of a list every item is a part. Hedges in front
  of a part (`about`, `it is`) and parts made of joining words only (`from`, `to the`) do not count.
- A time is a number of seconds with its unit (`32.1 s`, `44.56-48.08 s`, `1.2, 3.04 and 5.5 s`) or `HH:MM:SS`. `12:34`
  is text, since it may be a time of day.

A part of text is held when its words stand in the answer one after the other. Case, punctuation, articles and the
citation marks of the answer do not count; spaces between letters do not either, where readers of pictures lose them
(`BigBuck`), but a part begins and ends where words do. Numbers are compared whole and by value: `6` is `six` and `6.0`,
and not in `16`, `6.5`, `6:30`, `6th`, `-6` or the time `6 s`. An occurrence with a negation at most three words before
it in the same clause does not count. `Yes` and `No` must be the answer's first word.

A time is held when one that the answer states, or the start of a citation, lies within the tolerance; of a stretch of
time both ends have to, or a single moment has to lie at its start. A duration must be stated. An answer that names more
than five times as many moments as the gold has picked none, and holds no time; where the gold lists several times,
every time that the answer states must be one of them.

This counts too little where the gold is prose that can be said in other words, and too much where a long answer holds
the gold by chance: read the answers too.

As in the answer normalisation of SQuAD (Rajpurkar et al. 2016), case, punctuation and articles don't count, and times
are removed from the text before its words are read. `longtake.language` normalises letters, numbers and currencies. Its
`words` isn't used: grading compares words one by one, without stems, and must know where a clause begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Literal

from longtake.language.amounts import COINS, SIGNS
from longtake.language.numbers import in_digits, plain_number
from longtake.language.text import fold
from longtake.memory.records import Answer
from longtake.memory.timespan import parse_time

# Here `one` is a pronoun, not a number.
_PRONOUN = re.compile(r"\b(?:(?:the|this|that|which|no|any|each|every|some|another)\W+one\b|one\W+of\b)")
_OFTEN = re.compile(r"\b(twice|thrice)\b(?! (?:as|the|a|an)\b)")

_SIGNS = {"©": " c ", "®": " r ", "×": "x", "%": " percent "}
_COINS = {f"{coin}s": coin for coin in COINS.values()} | {"bucks": "dollar"}
_ARTICLES = frozenset({"a", "an", "the"})
_SUFFIXES = frozenset("s sec m min h am pm mm cm km mg g kg ms hz khz mhz fps kb mb gb c".split())

_AMOUNT = re.compile(rf"([{SIGNS}])\s*(\d[\d.,]*\d|\d)")
# A number keeps what ties digits together, so that 6 is not found in 16:9, 1.6, 555-6 or COVID-6.
_WORD = re.compile(
    r"(?P<number>(?:(?<![\w.)])-)?\d+(?:[.,:/-]\d+)*)(?P<suffix>[^\W\d_]*)"
    r"|(?P<word>[^\W\d_](?:[^\W_]|')*(?:-\d[^\W_]*)*)"
)
_BREAK = re.compile(r"[.!?;:,\n\"“”]")

_NUMBER = r"\d+(?:\.\d+)?"
_DECADE = r"(?!(?:1\d|20)\d0s\b)"
_SECONDS = re.compile(
    rf"(?<![\w.:,$€£¥-]){_DECADE}({_NUMBER}(?:\s*(?:,|-|\bto\b|\band\b|\bor\b)\s*{_NUMBER})*)\s*(?:s|secs?|seconds?)\b"
)
_CLOCK = r"\d{1,3}:[0-5]\d(?::[0-5]\d)?(?:\.\d+)?"
_LONG_CLOCK = r"\d{1,3}:[0-5]\d:[0-5]\d(?:\.\d+)?"
Grade = Literal["held", "wrong", "uncertain", "partial", "abstained", "failed"]
GRADES: tuple[Grade, ...] = ("held", "wrong", "uncertain", "partial", "abstained", "failed")
DEFAULT_TOLERANCE = 1.0  # seconds
MAX_GUESSES = 5
_PIECE = re.compile(r'["“](?P<quote>[^"“”]*)["”]|(?P<aside>\((?:[^()]|\([^()]*\))*\))')
_MARK = re.compile(r"\[[^\[\]]*\d:\d\d[^\[\]]*\]")
_SPLIT = re.compile(r"[,;:.!?/](?=\s|$)|\s(?:and|or)\s|\n")
_HEDGES = frozenset("about approximately around roughly circa nearly and or but it is are was were".split())
_JOINING = _HEDGES | frozenset("at from to until till in on between of for by after before end".split())
NEGATIONS = frozenset(
    "no not nothing none never neither nor without cannot cant isnt arent wasnt werent dont doesnt didnt wont wouldnt"
    " shouldnt couldnt hasnt havent hadnt".split()
)
_NEGATION_REACH = 3
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class AnswerWord:
    """A normalised word or number, and whether a clause starts with it."""

    text: str
    starts_clause: bool


@dataclass(frozen=True, slots=True)
class StatedTime:
    """A time in seconds; `end` is None if a moment and not a stretch was named."""

    start: float
    end: float | None = None


def plain(text: str) -> str:
    """Normalise letters, signs and numbers as `longtake.language` does, plus forms that only occur in answers."""
    text = fold(text)
    for sign, spelling in _SIGNS.items():
        text = text.replace(sign, spelling)
    text = _OFTEN.sub(lambda match: "2" if match[1] == "twice" else "3", text)
    text = _PRONOUN.sub(lambda match: match[0].replace("one", "\0"), text)
    return in_digits(text).replace("\0", "one")


def take_times(text: str, *, short_clock: bool) -> tuple[list[StatedTime], str]:
    """The times stated in plain text, and the text without them.

    Read are seconds with their unit (`32.1 s`, `2.0-7.0 s`, `1.2, 3.04 and 5.5 s`) and clock times (`00:12:34.5`); a
    short clock (`12:34`) may be a time of day, and is read only where asked. Four fields are a timecode: text.
    """
    times: list[StatedTime] = []
    field = _CLOCK if short_clock else _LONG_CLOCK
    clocks = re.compile(rf"(?<![\w:.])({field})(?:\s*(?:-|\bto\b)\s*({field}))?(?![\w:]|\.\d)")

    def clock(match: re.Match[str]) -> str:
        times.append(StatedTime(parse_time(match[1]), parse_time(match[2]) if match[2] else None))
        return " , "

    def seconds(match: re.Match[str]) -> str:
        for item in re.split(r",|\band\b|\bor\b", match[1]):
            bounds = [float(bound) for bound in re.findall(_NUMBER, item)]
            times.append(StatedTime(bounds[0], bounds[1] if len(bounds) > 1 else None))
        return " , "

    return times, _SECONDS.sub(seconds, clocks.sub(clock, text))


def words(text: str) -> list[AnswerWord]:
    """The words and numbers of plain text, without articles."""
    text = _AMOUNT.sub(lambda match: f"{match[2]} {COINS[match[1]]}", text)
    found: list[AnswerWord] = []
    last, fresh = 0, True
    for match in _WORD.finditer(text):
        fresh = fresh or bool(_BREAK.search(text, last, match.start()))
        last = match.end()
        for part in _parts(match):
            if part not in _ARTICLES:
                found.append(AnswerWord(part, fresh))
                fresh = False
    return found


def _parts(match: re.Match[str]) -> list[str]:
    if match["word"]:
        word = match["word"].replace("'", "")
        return [_COINS.get(word, word)]
    number, suffix = plain_number(match["number"]), match["suffix"]
    if suffix and suffix not in _SUFFIXES:
        return [number + suffix]
    return [number, suffix] if suffix else [number]


@dataclass(frozen=True, slots=True)
class Gold:
    """What an answer must hold: parts of text as words, and times."""

    parts: tuple[tuple[str, ...], ...]
    times: tuple[StatedTime, ...]

    @classmethod
    def read(cls, text: str) -> Gold:
        """Find the parts and times of a gold as a person wrote it."""
        quotes = [match["quote"] for match in _PIECE.finditer(text) if match["quote"] is not None]
        # A comma, so that what stands on either side of a quotation is not read as one part.
        bare = plain(_PIECE.sub(" , ", text))
        times, rest = take_times(bare, short_clock=False)
        parts = [word_texts(plain(quote)) for quote in quotes]
        pieces = [part for piece in _SPLIT.split(rest) if set(part := word_texts(piece)) - _JOINING]
        loose = [tuple(dropwhile(_HEDGES.__contains__, part)) for part in pieces]
        if quotes:
            loose = [(word,) for part in loose for word in part if _is_number((word,))]
        return cls(tuple(part for part in [*parts, *loose] if part), tuple(times))


def grade(gold: str, answer: Answer, *, tolerance: float = DEFAULT_TOLERANCE, cited_times: bool = True) -> Grade:
    """The outcome of a question: how the run ended or, if it answered, whether the answer contains the gold.

    A time may be `tolerance` seconds off. The place a citation leads to counts as a time, but not as a duration.
    """
    if answer.status != "answered":
        return answer.status
    return "held" if holds(Gold.read(gold), answer, tolerance, cited_times=cited_times) else "wrong"


def holds(gold: Gold, answer: Answer, tolerance: float, *, cited_times: bool = True) -> bool:
    """Whether every part and time of the gold is in the answer; a gold without any is held by nothing."""
    body = plain(_MARK.sub("\n", answer.answer))
    said, counted = words(body), words(take_times(body, short_clock=False)[1])
    stated, _ = take_times(body, short_clock=True)
    cited = [StatedTime(each.start, each.end if each.end > each.start else None) for each in answer.citations]
    return (
        bool(gold.parts or gold.times)
        and all(_says(counted if _is_number(part) else said, part) for part in gold.parts)
        and _names_times(gold.times, stated, cited if cited_times else [], tolerance)
    )


def word_texts(text: str) -> tuple[str, ...]:
    """The texts of the words of plain text."""
    return tuple(word.text for word in words(text))


def _is_number(part: Sequence[str]) -> bool:
    return len(part) == 1 and part[0].lstrip("-")[:1].isdigit()


def _says(said: Sequence[AnswerWord], part: Sequence[str]) -> bool:
    if tuple(part) in {("yes",), ("no",)}:
        return bool(said) and said[0].text == part[0]
    return any(not _negated(said, place) for place in places(said, part))


def places(said: Sequence[AnswerWord], part: Sequence[str]) -> Iterator[int]:
    """The positions where the words of a part start."""
    wanted = _joined(part)
    for place in range(len(said)):
        for end in range(place + 1, len(said) + 1):
            run = _joined([word.text for word in said[place:end]])
            if not wanted.startswith(run):
                break
            if run == wanted:
                yield place


def _joined(texts: Sequence[str]) -> str:
    """The words in one string, with spaces only between digits."""
    return re.sub(r"(?<=[^\W\d_]) (?=[^\W\d_])", "", " ".join(texts))


def _negated(said: Sequence[AnswerWord], place: int) -> bool:
    for before in range(place, max(0, place - _NEGATION_REACH), -1):
        if said[before].starts_clause:
            return False
        if said[before - 1].text in NEGATIONS:
            return True
    return False


def _names_times(
    gold: Sequence[StatedTime], stated: Sequence[StatedTime], cited: Sequence[StatedTime], tolerance: float
) -> bool:
    named = [*stated, *cited]
    if len({round(time.start) for time in named}) > MAX_GUESSES * len(gold):
        return not gold
    moments = [*_bounds(stated), *(time.start for time in cited)]

    def near(one: float, other: float) -> bool:
        return abs(one - other) <= tolerance + _ROUNDING

    def held(wanted: StatedTime) -> bool:
        if wanted.end is None:
            return any(near(moment, wanted.start) for moment in moments)
        return any(
            near(time.start, wanted.start) and (time.end is None or near(time.end, wanted.end)) for time in named
        )

    extra = len(gold) > 1 and not all(any(near(said, right) for right in _bounds(gold)) for said in _bounds(stated))
    return not extra and all(held(wanted) for wanted in gold)


def _bounds(times: Sequence[StatedTime]) -> list[float]:
    return [bound for time in times for bound in (time.start, time.end) if bound is not None]
