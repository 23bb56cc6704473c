"""On which day something is: as it is written, as it is said, and whether the two agree."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import POLAR, Orientation
from longtake.agent.rules.matching import must_hold
from longtake.agent.rules.moves import evidence_from, failures, not_found, on_each, quote, trusted
from longtake.agent.rules.outline import outline, words_of
from longtake.agent.rules.steps import Steps
from longtake.agent.statements import statements
from longtake.agent.words import content_stems, coverage, cue, stems
from longtake.memory.records import Evidence

READER, LISTENER = "extract_scene_text", "transcribe_speech"
_DAY = re.compile(r"\b(?:days?|dates?|weekdays?)\b|^\W*(?:[\w ]+, )?when\b|,\s*when\b", re.IGNORECASE)
_WRITTEN = cue(
    "slide, slides, written, write, writes, screen, shown, shows, show, sign, notice, poster, text, read, reads, "
    "printed, displayed, picture, writing"
)
_SAID = cue(
    "speaker, speakers, said, says, say, spoken, speech, told, tells, announced, announces, mentioned, mentions, heard, "
    "hear, aloud, voice, narrator, presenter, orally, speaking, words"
)
_COMPARES = cue(
    "agree, agrees, match, matches, same, coincide, coincides, differ, differs, different, contradict, contradicts, "
    "identical, consistent, correspond, corresponds, tally, tallies, conflict, conflicts, disagree, disagrees, fit, "
    "fits, equal, the one that, the one, as"
)
_ASIDE = cue(
    "day, days, date, dates, weekday, which, name, names, named, give, gives, given, going, by, take, takes, place, "
    "held, happen, happens, goes, go, according, one, first, video, state, states, stated, mark, marked, listed, "
    "announce, indicate, indicates, indicated, set, planned, scheduled, due, fall, falls, tell, read off, can"
)


def asks_days_agree(orientation: Orientation) -> bool:
    """Whether a question asks if the day that is said is the one that is written."""
    question = orientation.question
    both = _WRITTEN.search(question) and _SAID.search(question)
    return bool(both and _DAY.search(question) and _COMPARES.search(question) and re.match(POLAR, question, re.I))


def asks_day(orientation: Orientation) -> bool:
    """Whether a question asks for a day as it is written, or as it is said."""
    question = orientation.question
    return bool(_DAY.search(question)) and bool(_WRITTEN.search(question)) != bool(_SAID.search(question))


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
    return f"{'Yes' if alike else 'No'}: written is {quote(written, orientation)} Said is {quote(said, orientation)}"


def find_day(orientation: Orientation) -> Steps[str]:
    """The one line that tells the day, of those written or those said; empty where there is no such line."""
    tool, tells = (READER, _written) if _WRITTEN.search(orientation.question) else (LISTENER, _said)
    done = yield on_each(orientation, tool)
    found = tells(orientation.question, trusted(evidence_from(done, tool)))
    return quote(found, orientation) if len(found) == 1 else ""


def _written(question: str, texts: Sequence[Evidence]) -> list[Evidence]:
    """The lines with a day on the slides that hold the question's words."""
    wanted, named = _event(question), must_hold(question)
    slides = [slide for slide in outline(texts) if _holds(words_of(slide), wanted, named)]
    return [line for slide in slides for line in (slide.title, *slide.lines) if _days(line)]


def _said(question: str, lines: Sequence[Evidence]) -> list[Evidence]:
    """What is said with the question's words and a day."""
    wanted, named = _event(question), must_hold(question)
    return [line for line in lines if _days(line) and _holds(line.content, wanted, named)]


def _holds(text: str, wanted: Sequence[str], named: set[str]) -> bool:
    return coverage(wanted, text) == 1.0 and named <= stems(text)


def _event(question: str) -> list[str]:
    """Stems of what a question asks the day of."""
    plain = question
    for aside in (_ASIDE, _WRITTEN, _SAID, _COMPARES):
        plain = aside.sub(" ", plain)
    return content_stems(plain)


def _days(item: Evidence) -> dict[str, tuple[str, ...]]:
    """The date and the weekday that a line tells."""
    values = (value for statement in statements(item.content) for value in statement.values)
    return {value.kind: value.said for value in values if value.kind in ("date", "weekday")}


def _alike(one: Evidence, other: Evidence) -> bool | None:
    """Whether two lines tell one day; None where one of them tells more than the other, and nothing else."""
    first, second = _days(one), _days(other)
    if any(first[kind] != second[kind] for kind in first.keys() & second.keys()):
        return False
    return True if first.keys() == second.keys() else None
