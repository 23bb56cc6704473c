"""Whether a line can be the answer to a question: it adds something of the kind that is asked."""

from __future__ import annotations

import math
import re

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.language.statements import statements
from longtake.agent.query.query import Query
from longtake.agent.verification.clauses import denied_otherwise
from longtake.agent.verification.verdicts import settled
from longtake.language.amounts import amounts, counts
from longtake.language.words import NEGATION, TELLING, content_stems, numbers, stem, unsaid

TIMED = frozenset({"time", "duration"})
_WHEN = frozenset({"date", "weekday", "clock"})  # kinds of values
_UNITS_OF_TIME = frozenset(stem(unit) for unit in "seconds minutes hours days weeks months years decades".split())
_MOMENT = 0.5  # share of a video that something may take and still happen at a time
CLAUSE = re.compile(r"[.:;!?]\s+")  # clauses before the last one only give context


def settles(query: Query, candidate: Candidate) -> bool:
    """Whether a line can be the answer: it adds something of the right kind to the question."""
    if candidate.fact is not None or query.target == "choice":
        return True  # the option that a line names is an answer
    if query.target in TIMED:
        return _states_time(query, candidate) or times(query, candidate)
    if query.target == "yesno":
        return bool(settled_by(query, candidate))
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


def _states_time(query: Query, candidate: Candidate) -> bool:
    """Whether a line itself says a date or a time of day; where a duration is asked, so many minutes or the like."""
    if query.target == "duration":
        return bool({amount.unit for amount in amounts(candidate.text)} & _UNITS_OF_TIME)
    return any(value.kind in _WHEN for each in statements(candidate.text) for value in each.values)


def times(query: Query, candidate: Candidate) -> bool:
    """Whether the span of a line can be the answer: when it is said or shown, or how long something is shown.

    What is there nearly throughout happens at no time, and how long a line takes to say isn't how long anything takes.
    """
    if query.target == "duration":
        return candidate.modality != "speech" and not _states_time(query, candidate)
    return candidate.span.length <= _MOMENT * query.videos.get(candidate.evidence.video, math.inf)


def settled_by(query: Query, candidate: Candidate) -> str | None:
    """The yes or no that a line gives."""
    return settled(query.question, [item.content for item in candidate.line])


def denies_otherwise(query: Query, candidate: Candidate) -> bool:
    """Whether the question denies what a line affirms: a list of prices doesn't say what is not for sale."""
    asked = CLAUSE.split(query.question.strip())[-1]
    return bool(NEGATION.search(asked)) and denied_otherwise(asked, [candidate.text])
