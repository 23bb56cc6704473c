"""Resolves follow-up questions, "that slide" and titles of sections in the questions of a thread, by rules.

"How much does it cost?" is read together with the question before it. "That slide" or "then" is the moment that proves
the last answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from longtake.agent.query.query import Scope
from longtake.agent.query.scope import QUOTATION
from longtake.language.text import words_of
from longtake.language.words import content_stems, words
from longtake.memory.records import Citation
from longtake.memory.timespan import TimeSpan, clock

_POINTS_AT = re.compile(
    r"\b(?:that|this|the same) (?:slide|moment|scene|shot|place|part|time|point)\b"
    r"|(?<!\bare )(?<!\bis )(?<!\bwere )(?<!\bwas )\b(?:there|then)\s*\??$"
    r"|\b(after|before) (?:that|this)\W*$",
    re.IGNORECASE,
)
_BACK = frozenset("he him his she her hers it its they them their theirs".split())
_GOES_ON = frozenset("and but so".split())
_ASKING = frozenset("who whom whose when why where how".split())
_SHORT = 2  # words of a question such as "When exactly?", and content words from which one says what it is about


def resolve(question: str, earlier: Sequence[str]) -> str:
    """The question, followed by the earlier one that it goes on from; unchanged if it stands by itself.

    It goes on if it is about hardly anything and begins with "and", has a word such as "it", or only asks "when?".

    Args:
        question: as asked.
        earlier: the earlier questions of the thread, oldest first.
    """
    before = next((each for each in reversed(earlier) if not _goes_on(each)), "")
    return f"{question} {before}" if before and _goes_on(question) else question


def _goes_on(question: str) -> bool:
    asked, own = words(question) or [""], len(content_stems(question))
    alone = own == 0 and len(asked) <= _SHORT and asked[0] in _ASKING
    return alone or (own < _SHORT and not _BACK.isdisjoint(asked)) or (own <= _SHORT and asked[0] in _GOES_ON)


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
    pointing = _POINTS_AT.search(question)
    if last is None or pointing is None:
        return None
    beside = (pointing[1] or "").casefold()
    if beside == "before":
        return Scope(span=TimeSpan(start=0.0, end=last.start), named=True, ordinal=-1)
    if beside == "after":
        return Scope(span=TimeSpan(start=min(last.end, duration), end=duration), named=True, ordinal=0)
    return Scope(span=TimeSpan(start=last.start, end=last.end), named=True)
