"""On which day something is: as it is written, as it is said, and whether the two agree."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.agreement import AGREE, DIFFER, SAID, WRITTEN, asks_agreement, of_speech, of_writing
from longtake.agent.rules.moves import LISTENER, READER, evidence_from, failures, not_found, on_each, quote, trusted
from longtake.agent.rules.outline import outline, words_of
from longtake.agent.rules.steps import Steps
from longtake.agent.statements import statements
from longtake.agent.words import content_stems, coverage, cue
from longtake.memory.records import Evidence

_DAY = cue("day, days, date, dates, weekday, weekdays")
_WHEN = cue("when")
_ASKS_DAY = re.compile(
    r"\b(?:what|which)(?: (?:is|was))?(?: [\w-]+){0,2}? (?:(?:week)?days?|dates?)\b"
    r"|\b(?:give|name|tell|state)\b[^?]*\b(?:(?:week)?day|date)\b",
    re.IGNORECASE,
)
# A "when" may ask for a moment of the video, or name one.
_SOURCE = r"(?:according to|as|going by|goes by|judging by|go by)"
_ASKS_WHEN = re.compile(
    rf"^\W*when\b[^?]*\b(?:{_SOURCE}|in writing)\b|^\W*{_SOURCE} [^,?]+, when\b|\babout when\b"
    r"|^\W*when\b[^?]*\b(?:says?|writes?)\b[^?]*\b(?:is|are|was|were|be|held)\W*$",
    re.IGNORECASE,
)
_CARRIER = re.compile(r"\b(?:on|in|at) (?:the|a|this) [\w-]+", re.IGNORECASE)  # what a day may be written on
_ASIDE = cue(
    "day, days, date, dates, weekday, which, name, names, named, give, gives, given, going, by, take, takes, place, "
    "held, happen, happens, goes, go, according, one, first, video, state, states, stated, mark, marked, listed, "
    "announce, compare, they, two, both, between, about, speak, indicate, indicates, indicated, set, planned, "
    "scheduled, due, fall, falls, tell, read off, can"
)


def asks_days_agree(orientation: Orientation) -> bool:
    """Whether a question asks if the day that is said is the one that is written."""
    question = orientation.question
    of_day = (_DAY.search(question) or _WHEN.search(question)) and not _tells_day(question)
    return bool(of_day) and asks_agreement(question)


def asks_day(orientation: Orientation) -> bool:
    """Whether a question asks for a day as it is written, or as it is said."""
    question = orientation.question
    named = _ASKS_DAY.search(question) or (_ASKS_WHEN.search(question) and not _DAY.search(question))
    one_source = of_writing(question) != of_speech(question)
    return bool(named) and one_source and not _tells_day(question)


def compare_days(orientation: Orientation) -> Steps[str]:
    """Both days, and whether they are one; an abstention where one of them is not found, or several are."""
    done = yield on_each(orientation, READER) + on_each(orientation, LISTENER)
    written = _written(orientation.question, trusted(evidence_from(done, READER)))
    said = _said(orientation.question, trusted(evidence_from(done, LISTENER)))
    for found, how in ((written, "written"), (said, "said")):
        if len(found) != 1:
            why = "Several days are" if found else "No day of it is"
            return not_found(" ".join([f"{why} {how}.", *failures(done)]))
    alike = _alike(written[0], said[0])
    if alike is None:
        return not_found(f"The two cannot be compared: {quote([*written, *said], orientation)}")
    holds = alike != bool(DIFFER.search(orientation.question))
    verdict = f"{'Yes' if holds else 'No'}, they {'agree' if alike else 'differ'}"
    return f"{verdict}: written is {quote(written, orientation)} Said is {quote(said, orientation)}"


def find_day(orientation: Orientation) -> Steps[str]:
    """The one line that tells the day, of those written or those said; empty where no one line is sure to.

    Where none of the question's words is written, or said, no day of anything else may be told.
    """
    tool, tells = (READER, _written) if of_writing(orientation.question) else (LISTENER, _said)
    done = yield on_each(orientation, tool)
    read = trusted(evidence_from(done, tool))
    found = tells(orientation.question, read)
    event = _event(_CARRIER.sub(" ", orientation.question))
    if read and event and not any(coverage(event, item.content) for item in read):
        return not_found("No day of it is told there.")
    return quote(found, orientation) if len(found) == 1 else ""


def _written(question: str, texts: Sequence[Evidence]) -> list[Evidence]:
    """The lines with a day on the slides that hold the question's words."""
    wanted = _event(question)
    slides = [slide for slide in outline(texts) if coverage(wanted, words_of(slide)) == 1.0]
    return [line for slide in slides for line in (slide.title, *slide.lines) if _days(line)]


def _said(question: str, lines: Sequence[Evidence]) -> list[Evidence]:
    """What is said with the question's words and a day."""
    wanted = _event(question)
    return [line for line in lines if _days(line) and coverage(wanted, line.content) == 1.0]


def _event(question: str) -> list[str]:
    """Stems of what a question asks the day of."""
    plain = question
    for aside in (_ASIDE, WRITTEN, SAID, AGREE, DIFFER):
        plain = aside.sub(" ", plain)
    return content_stems(plain)


def _tells_day(question: str) -> bool:
    return bool(_days_of(question.rstrip("? ")))


def _days(item: Evidence) -> dict[str, tuple[str, ...]]:
    return _days_of(item.content)


def _days_of(text: str) -> dict[str, tuple[str, ...]]:
    """The date and the weekday that a text tells."""
    values = (value for statement in statements(text) for value in statement.values)
    return {value.kind: value.said for value in values if value.kind in ("date", "weekday")}


def _alike(one: Evidence, other: Evidence) -> bool | None:
    """Whether two lines tell one day; None where one of them tells more than the other, and nothing else."""
    first, second = _days(one), _days(other)
    if any(first[kind] != second[kind] for kind in first.keys() & second.keys()):
        return False
    return True if first.keys() == second.keys() else None
