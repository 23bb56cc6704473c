"""Normalises text for comparison: the words of an answer or gold, and the times it states.

As in the answer normalisation of SQuAD (Rajpurkar et al. 2016), case, punctuation and articles don't count. Numbers are
compared whole and by value, and times are removed from the text before its words are read.

`longtake.language` normalises letters, numbers and currencies. Its `words` isn't used: grading compares words one by
one, without stems, and must know where a clause begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from longtake.language.amounts import COINS, SIGNS
from longtake.language.numbers import in_digits, plain_number
from longtake.language.text import fold
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


@dataclass(frozen=True, slots=True)
class Word:
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


def words(text: str) -> list[Word]:
    """The words and numbers of plain text, without articles."""
    text = _AMOUNT.sub(lambda match: f"{match[2]} {COINS[match[1]]}", text)
    found: list[Word] = []
    last, fresh = 0, True
    for match in _WORD.finditer(text):
        fresh = fresh or bool(_BREAK.search(text, last, match.start()))
        last = match.end()
        for part in _parts(match):
            if part not in _ARTICLES:
                found.append(Word(part, fresh))
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
