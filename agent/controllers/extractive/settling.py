"""What the words of a line tell without a model: whether a claim is true, and when something is said or shown."""

from __future__ import annotations

import math

from longtake.agent.controllers.extractive.candidates import WORDED, Candidate
from longtake.agent.query.query import Query
from longtake.language.amounts import amounts, without_amounts
from longtake.language.text import sentences
from longtake.language.words import NEGATION, TELLING, content_stems, coverage, stem, stems, words

TIMED = frozenset({"time", "duration"})
UNITS_OF_TIME = frozenset(stem(unit) for unit in "seconds minutes hours days weeks months years decades".split())
_MOST = 0.5  # share of a video that something may last and still happen at a time, instead of throughout
_PARTICLES = frozenset("up down off out over under before after".split())


def affirmed(claim: str, line: str) -> bool | None:
    """Whether a line says a claim (True) or denies it (False): one sentence has all its words in order.

    It denies it with a negation, or with another amount of the same unit if it tells nothing else: "up to 500" doesn't
    deny 340. The opposite of a word neither says nor denies it.
    """
    stated = amounts(claim)
    wanted = _telling(without_amounts(claim)) or ([] if stated else [stem(word) for word in words(claim)])
    for sentence in sentences(line):
        rest = iter([stem(word) for word in words(sentence)])
        if sentence.rstrip().endswith("?") or not all(word in rest for word in wanted):
            continue
        held = amounts(sentence)
        if all(any(one.number == other.number and one.unit in ("", other.unit) for other in held) for one in stated):
            clauses = [each for each in sentence.split(", ") if stems(each).intersection(wanted)] or [sentence]
            return bool(NEGATION.search(claim)) == any(map(NEGATION.search, clauses))
        same_unit = {one.unit for one in stated} & {other.unit for other in held}
        if wanted and same_unit and _telling(without_amounts(sentence)) == wanted:
            return False
    return None


def _telling(text: str) -> list[str]:
    """The stems of a text, in order, that tell what it says: those of content, and words such as "up" and "after"."""
    content = set(content_stems(text)) - TELLING
    return [stem(word) for word in words(text) if word in _PARTICLES or stem(word) in content]


def stated_in(question: str) -> str:
    """The last sentence of a question that asks nothing, without what leads into it; empty if there is none."""
    told = [part for part in sentences(question.strip()) if not part.endswith("?")]
    return told[-1].rpartition(": ")[2] if told else ""


def times(query: Query, candidate: Candidate) -> bool:
    """Whether the span of a line can be the answer: when it is said or shown, or how long something is shown.

    What is there nearly throughout happens at no time, and how long a line takes to say isn't how long anything takes.
    Words are an answer by when they are said or shown only if the question asks for that ("when is it mentioned?").
    """
    unasked = candidate.modality in WORDED and TELLING.isdisjoint(stems(query.question))
    if query.target not in TIMED or candidate.modality == "metadata" or unasked:
        return False
    if query.target == "duration":
        stated = {amount.unit for amount in amounts(candidate.text)} & UNITS_OF_TIME
        return candidate.modality != "speech" and not stated
    return candidate.evidence.span.length <= _MOST * query.videos.get(candidate.evidence.video, math.inf)


def speaker_of(query: Query, candidate: Candidate) -> str:
    """Who says the cue that search found, by name; empty if that isn't known."""
    name, colon, _ = candidate.evidence.text.partition(": ")
    return name if colon and candidate.modality == "speech" and name in query.speakers else ""


def said_by(query: Query, candidate: Candidate) -> bool:
    """Whether somebody known says the cue, and a question asks who says something, or what that person says."""
    speaker = speaker_of(query, candidate)
    asked = bool(query.said) or (not TELLING.isdisjoint(stems(query.question)) and stems(speaker) <= set(query.words))
    return bool(speaker) and asked


def mentions(query: Query, candidate: Candidate) -> bool:
    """Whether what search found has all words of a question that asks when or by whom they are said or shown."""
    asked = said_by(query, candidate) or times(query, candidate)
    return asked and coverage(query.words, candidate.evidence.text) == 1
