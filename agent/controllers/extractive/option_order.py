"""Chooses between options by when they are shown or said: the first, the last, or the sequence that runs in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.drafts.draft import LETTERS
from longtake.agent.query.query import Query
from longtake.language.abstaining import cannot_tell
from longtake.language.text import comparable
from longtake.language.words import content_stems, coverage

_PARTS = re.compile(r"\s*(?:;|→|->|>|,\s*then\b|\bthen\b|,)\s*")
_MISREAD = 0.85  # similarity, 0 to 1, from which a line is a reading of an option


def by_order(query: Query, candidates: Sequence[Candidate]) -> tuple[str, tuple[Candidate, ...]] | None:
    """The letter of the option that the order of events decides, with the lines that show it; None if that is open.

    Every option must be found. A sequence with a part that isn't found is wrong.
    """
    options = {number: text for number, text in enumerate(query.options) if not cannot_tell(text)}
    sequences = {number: _PARTS.split(text.strip()) for number, text in options.items()}
    if len(options) < 2 or len(query.videos) > 1:  # nothing orders moments of several videos
        return None
    named = Counter(part for parts in sequences.values() for part in set(parts))
    if min(map(len, sequences.values())) > 1 and min(named.values()) > 1:  # the same things in different orders
        return _sequence(query, sequences, {part: _first(part, candidates) for part in named})
    first = {number: line for number, text in options.items() if (line := _first(text, candidates))}
    if query.scope.ordinal not in (0, -1) or len(first) < len(options):
        return None
    starts = sorted((line.evidence.span.start, number) for number, line in first.items())
    chosen = starts[query.scope.ordinal][1]
    if sum(start == first[chosen].evidence.span.start for start, _ in starts) > 1:
        return None
    return LETTERS[chosen], (first[chosen],)


def _sequence(
    query: Query, sequences: dict[int, list[str]], found: dict[str, Candidate | None]
) -> tuple[str, tuple[Candidate, ...]] | None:
    """The longest option whose parts are all found and begin one after the other."""
    fitting = {}
    for number, parts in sequences.items():
        lines = [line for part in parts if (line := found[part])]
        if len(lines) == len(parts) and all(a.evidence.span.start < b.evidence.span.start for a, b in pairwise(lines)):
            fitting[number] = tuple(lines)
    most = max(map(len, fitting.values()), default=0)
    longest = [number for number, lines in fitting.items() if len(lines) == most]
    return (LETTERS[longest[0]], fitting[longest[0]]) if len(longest) == 1 else None


def _first(text: str, candidates: Iterable[Candidate]) -> Candidate | None:
    """The earliest line that says a text."""
    saying = (each for each in candidates if each.modality in ("speech", "scene_text", "visual") and _says(each, text))
    return min(saying, key=lambda each: each.evidence.span.start, default=None)


def _says(candidate: Candidate, text: str) -> bool:
    content, wanted = candidate.evidence.content, content_stems(text)
    if wanted and coverage(wanted, content) == 1:
        return True
    return SequenceMatcher(None, comparable(content), comparable(text)).ratio() >= _MISREAD
