"""Questions about what is there for an instant: flashes, and what they show."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.matching import without_repeats
from longtake.agent.rules.moves import READER, Done, Move, called, evidence_from, on_each, quote, read_around, trusted
from longtake.agent.rules.reading import BRIEF, BRIEFLY
from longtake.agent.rules.sight.seeing import is_polar, nothing_seen, told
from longtake.agent.words import cue
from longtake.memory.records import Evidence

TOOL = "find_moments"
MOST = 3  # moments whose text is read, the strongest
_NOT_SEEN = r"(?!\s+(?:drives?|floods?|memory|cards?|lights?|sales?|player|mob)\b)"
_SHOWS = r"(?:appears?|visible|seen|shown|shows?(?: up)?|displayed|read|(?:pops?|comes?) up|on (?:the )?screen)"
_AN_INSTANT = (
    r"(?:just |only |barely |about )?(?:an? |one |two |three |\d )?(?:very |tiny |brief |short |single |few )*"
    r"(?:instant|moment|split second|blink(?: of an eye)?|frames?|fraction of a second|(?<=(?:short|brief) )time)\b"
)
_MOMENT = re.compile(
    rf"\bflash(?:es|ed|ing)?\b{_NOT_SEEN}|\b(?:pops?|lights?|blinks?) up\b"
    rf"|\bword\b[^?]* for {_AN_INSTANT}|\bfor {_AN_INSTANT}[^?]* word\b"
    rf"|\b{_SHOWS}\s+(?:(?:only|just|very|quite|so) )*(?:{cue(BRIEFLY).pattern}|for {_AN_INSTANT})"
    r"|\b(?:briefly|momentarily) (?:appears?|visible|seen|shown|displayed)\b",
    re.IGNORECASE,
)
_WHAT = re.compile(r"(?:^|[.,:;!] )\W*(?:and |so )?(?:what|which)\b|^\W*(?:read|name|tell|give|quote)\b", re.IGNORECASE)
# "What does the word say that flashes up?" is about what is written.
_WRITTEN_SAYS = re.compile(
    r"\bdo(?:es)? the (?:word|text|writing|inscription|caption|sign|flash)s? say\b", re.IGNORECASE
)


def asks_moment(orientation: Orientation) -> bool:
    """Whether a question is about something that shows for an instant."""
    question = orientation.question
    told_else = {"speech", "audio"} & set(orientation.modalities) and not _WRITTEN_SAYS.search(question)
    return bool(_MOMENT.search(question)) and not told_else and not orientation.quoted


def find_flash(orientation: Orientation, done: Sequence[Done]) -> Move:
    """When it flashes; where the question asks what does, the text that stands only then, if there is one."""
    if not called(done, TOOL):
        return on_each(orientation, TOOL, kind="flash")
    flashes = trusted(evidence_from(done, TOOL))
    if not flashes:
        return nothing_seen(done, TOOL)
    if _WHAT.search(orientation.question) and orientation.kind != "when":
        strongest = sorted(flashes, key=lambda item: -item.score)[:MOST]
        if not called(done, READER):
            return [read_around(item, orientation) for item in strongest]
        brief = [item for item in trusted(evidence_from(done, READER)) if _is_of(item, strongest)]
        if brief:
            return quote(without_repeats(brief), orientation)
        return nothing_seen(done, TOOL, f"No text flashes up, and what it shows cannot be told: {_times(flashes)}")
    return f"Yes: {told(flashes, orientation)}" if is_polar(orientation.question) else told(flashes, orientation)


def _is_of(text: Evidence, flashes: Sequence[Evidence]) -> bool:
    """Whether a text stands only for an instant, in one of the flashes."""
    shown = (item for item in flashes if item.video == text.video and item.span.overlaps(text.span))
    return text.span.length <= BRIEF and any(shown)


def _times(flashes: Sequence[Evidence]) -> str:
    return "; ".join(f"“{item.content}”" for item in flashes[:MOST]) + "."
