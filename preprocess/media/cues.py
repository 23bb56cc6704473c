"""`Cue`, and what all formats of subtitles share: times, lines and notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

# Hours (which may be missing), minutes, seconds and their fraction.
TIME = r"(?:\d{1,4}:)?\d{1,3}:\d{1,2}(?:[.,]\s?\d{1,30}(?:(?<=\d\d\d)\.\d{1,30})?)?"
OPEN = -1.0  # the end of a cue that has none
Note = Callable[[str], None]  # takes what was repaired or left out, with its line
_LETTERS_A_SECOND = 15.0  # of speech
_SHORTEST = 1.0  # seconds
_NUMBERS = re.compile(r"[-+]?\d[\d.,:/]*")
# From so many cues, numbers in each, and share of cues that are alike, they are records.
_RECORDS, _FIGURES, _ALIKE = 5, 2, 0.9


@dataclass(frozen=True, slots=True)
class Cue:
    """Words and when they are shown, in seconds; `text` may have several lines.

    `line` is the file's line with the times, None for a cue that doesn't come from a text file.
    """

    start: float
    end: float
    text: str
    speaker: str | None = None
    line: int | None = field(default=None, compare=False)


def seconds(time: str) -> float:
    """The seconds of a time as `TIME` finds it."""
    whole, *fraction = re.split(r"[.,]\s?", time)
    found = 0
    for part in whole.split(":"):
        found = found * 60 + int(part)
    return round(found + float(f"0.{fraction[0] if fraction else 0}"), 3)


def tidy(text: str) -> str:
    """Lines without empty ones and needless spaces."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def spoken_seconds(text: str) -> float:
    """How long it takes to say a text."""
    return max(_SHORTEST, len(text) / _LETTERS_A_SECOND)


def are_records(cues: Sequence[Cue]) -> bool:
    """Whether cues are a program's records and no speech: a drone's telemetry, or the pictures of a player's timeline.

    They are alike but for their numbers.
    """
    numbered = (_NUMBERS.sub("#", cue.text) for cue in cues if len(re.findall(r"\d+", cue.text)) >= _FIGURES)
    alike = Counter(text for text in numbered if any(map(str.isalpha, text))).most_common(1)
    return bool(alike) and alike[0][1] >= max(_RECORDS, _ALIKE * len(cues))


def closed(cues: Iterable[Cue]) -> list[Cue]:
    """Cues by start. Those whose end is `OPEN` last as long as it takes to say them, or until the next one starts."""
    found: list[Cue] = []
    following = float("inf")
    for cue in sorted(cues, key=lambda cue: cue.start)[::-1]:
        if found and found[-1].start > cue.start:
            following = found[-1].start
        end = min(following, cue.start + spoken_seconds(cue.text)) if cue.end == OPEN else cue.end
        found.append(replace(cue, end=round(end, 3)))
    return found[::-1]
