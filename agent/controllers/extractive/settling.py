"""Whether a line can be the answer to a question: it adds something of the kind that is asked."""

from __future__ import annotations

import math
import re
from calendar import day_name, month_name

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.query.query import MODALITY_OF, Query
from longtake.language.amounts import amounts, counts, without_amounts
from longtake.language.words import NEGATION, TELLING, content_stems, coverage, numbers, stem, stems, unsaid, words

TIMED = frozenset({"time", "duration"})
UNITS_OF_TIME = frozenset(stem(unit) for unit in "seconds minutes hours days weeks months years decades".split())
CALENDAR = "|".join((*day_name, *month_name[1:]))
_DATE = re.compile(rf"\b(?:{CALENDAR})s?\b|\b\d{{1,2}}(?::[0-5]\d\b|\s?[ap]m\b|\s?o['’]clock)|\b(?:1[5-9]|20)\d\d\b")
_MOMENT = 0.5  # share of a video that something may take and still happen at a time
_PARTICLES = frozenset("up down off out over under before after".split())
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


def settles(query: Query, candidate: Candidate) -> bool:
    """Whether a line can be the answer: it adds something of the right kind to the question."""
    if candidate.fact is not None or query.target == "choice":
        return True  # the option that a line names is an answer
    if query.target in TIMED:
        return _states_time(query, candidate) or times(query, candidate)
    if query.target == "yesno":
        return settled_by(query, candidate) is not None
    new = unsaid(candidate.text, query.question)
    if query.target == "number":
        return bool(numbers(candidate.text) - numbers(query.question))
    if query.target == "count":
        return counts(new, query.words) or counts(candidate.text, query.words)
    # What only says again what was asked answers nothing.
    if TELLING.issuperset(content_stems(new)):
        return False
    # "Why isn't it open?" takes for granted what it denies; "What isn't open?" asks for what no line affirms.
    return query.target == "quote" or not denies_otherwise(query, candidate)


def affirmed(claim: str, line: str, *, in_order: bool = True) -> bool | None:
    """Whether a line says a claim (True) or denies it (False): one sentence has all its words, in their order or any.

    It denies it with a negation or another amount of the same unit. The opposite of a word neither says nor denies it.
    """
    stated = amounts(claim)
    wanted = _telling(without_amounts(claim)) or ([] if stated else [stem(word) for word in words(claim)])
    for sentence in _SENTENCE.split(line):
        said = [stem(word) for word in words(sentence)]
        rest = iter(said)
        has_all = all(word in rest for word in wanted) if in_order else set(wanted) <= set(said)
        if sentence.rstrip().endswith("?") or not has_all:
            continue
        held = amounts(sentence)
        if all(any(one.number == other.number and one.unit in ("", other.unit) for other in held) for one in stated):
            clauses = [each for each in sentence.split(", ") if stems(each).intersection(wanted)] or [sentence]
            return bool(NEGATION.search(claim)) == any(map(NEGATION.search, clauses))
        if wanted and {one.unit for one in stated} & {other.unit for other in held}:
            return False
    return None


def _telling(text: str) -> list[str]:
    """The stems of a text, in order, that tell what it says: those of content, and words such as "up" and "after"."""
    content = set(content_stems(text)) - TELLING
    return [stem(word) for word in words(text) if word in _PARTICLES or stem(word) in content]


def stated_in(question: str) -> str:
    """The last sentence of a question that asks nothing, without what leads into it; empty if there is none."""
    told = [part for part in _SENTENCE.split(question.strip()) if not part.endswith("?")]
    return told[-1].rpartition(": ")[2] if told else ""


def _states_time(query: Query, candidate: Candidate) -> bool:
    """Whether a line itself says a date or a time of day; where a duration is asked, so many minutes or the like."""
    if query.target == "duration":
        return bool({amount.unit for amount in amounts(candidate.text)} & UNITS_OF_TIME)
    return bool(_DATE.search(candidate.text))


def times(query: Query, candidate: Candidate) -> bool:
    """Whether the span of a line can be the answer: when it is said or shown, or how long something is shown.

    What is there nearly throughout happens at no time, and how long a line takes to say isn't how long anything takes.
    Words are an answer by when they are said or shown only if the question asks for that ("when is it mentioned?").
    """
    if candidate.modality in ("speech", "scene_text") and TELLING.isdisjoint(stems(query.question)):
        return False
    if query.target == "duration":
        return candidate.modality != "speech" and not _states_time(query, candidate)
    return candidate.evidence.span.length <= _MOMENT * query.videos.get(candidate.evidence.video, math.inf)


def speaker_of(query: Query, candidate: Candidate) -> str:
    """Who says the cue that search found, by name; empty if that isn't known."""
    name, colon, _ = candidate.evidence.content.partition(": ")
    return name if colon and candidate.modality == "speech" and name in query.speakers else ""


def said_by(query: Query, candidate: Candidate) -> bool:
    """Whether a cue has all words of what a question asks who says it, or of what it asks about somebody's words."""
    speaker = speaker_of(query, candidate)
    asked = bool(query.said) or (not TELLING.isdisjoint(stems(query.question)) and stems(speaker) <= set(query.words))
    return bool(speaker) and asked and coverage(query.words, candidate.evidence.content) == 1


def mentions(query: Query, candidate: Candidate) -> bool:
    """Whether what search found has all words of a question that asks when or by whom they are said or shown."""
    held = coverage(query.words, candidate.evidence.content) == 1
    return said_by(query, candidate) or (held and query.target in TIMED and times(query, candidate))


def settled_by(query: Query, candidate: Candidate) -> bool | None:
    """Whether a line affirms what a question asks about, or denies it; None if it settles nothing.

    Any line affirms a question that only asks whether something is said, or written, at all.
    """
    if not query.words and candidate.modality == MODALITY_OF.get(query.source):
        return True
    return affirmed(query.question, candidate.text)


def denies_otherwise(query: Query, candidate: Candidate) -> bool:
    """Whether the question denies what a line affirms: a list of prices doesn't say what is not for sale."""
    asked = _SENTENCE.split(query.question.strip())[-1]
    return bool(NEGATION.search(asked)) and not NEGATION.search(candidate.text)
