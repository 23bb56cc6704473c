"""How many of a thing the picture shows: counted by a tool, and said as it was counted, at once or in all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import POLAR, Orientation
from longtake.agent.rules.everything import find_all
from longtake.agent.rules.moves import (
    Done,
    Move,
    called,
    cite,
    evidence_from,
    failures,
    not_found,
    noted,
    on_each,
    trusted,
    unexamined,
)
from longtake.agent.rules.sight.seeing import asks_eyes, words_first
from longtake.agent.rules.sight.shapes import COUNTER, different, shape_named
from longtake.agent.words import NUMBER_WORDS
from longtake.memory.records import Evidence
from longtake.preprocess.engines.objects_colours import COLOURS

MOST_CITED = 3
_ENDS = (
    r"(?:are|is|do|does|did|can|could|come|comes|appear|appears|drive|drives|pass|passes|cross|crosses|walk|walks|"
    r"go|goes|stand|stands|sit|sits|in|on|there|have|has|were|was|over|at|shown|seen|visible|move|moves|enter|enters)"
)
_HOW_MANY = re.compile(rf"\bhow many (?!times\b)(?P<thing>[\w -]+?)(?=\s+{_ENDS}\b|\s*\?|\s*$)", re.IGNORECASE)
_COUNT_THEM = re.compile(
    rf"^\W*count (?:all )?(?:the )?(?P<thing>[\w -]+?)(?=\s+{_ENDS}\b|\s*[.?!]?\s*$)", re.IGNORECASE
)
_HOW_OFTEN = re.compile(
    r"\bhow (?:many times|often) (?:do|does|did) (?:an? |the |any )?(?P<thing>[\w -]+?) "
    r"(?:come|appear|enter|pass|cross|drive|walk|move)\b",
    re.IGNORECASE,
)
_EVER = re.compile(
    rf"{POLAR} there ever (?:an? |any )?(?P<thing>(?!more than)[a-z-]+(?: [a-z-]+){{0,2}}?)"
    r"(?=\s+(?:in|on|at|visible|seen)\b|\s*\?|\s*$)",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(r"\bat (?:once|a time|the same time|any (?:one )?(?:time|moment))\b", re.IGNORECASE)
# Taken of shapes only: "the number of visitors" stands on a slide.
_NUMBER_OF = re.compile(rf"\bnumber of (?P<thing>[\w -]+?)(?=\s+{_ENDS}\b|\s+that\b|\s*[.?!]?\s*$)", re.IGNORECASE)
_IN_ALL = re.compile(
    r"\b(?:in total|in all|altogether|over the (?:whole )?(?:video|film|clip)|come|comes|enter|enters|pass|passes|"
    r"drive|drives|cross|crosses|walk|walks|go by|goes by)\b",
    re.IGNORECASE,
)
# What is told and never seen: "by how many days was it postponed?"
_MEASURE = re.compile(
    r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|dollars?|euros?|pounds?|cents?|"
    r"percent|points?|degrees?|(?:kilo|centi|milli)?met(?:er|re)s?|miles?|feet|kilos?|(?:kilo)?grams?|tons?|tonnes|"
    r"lit(?:er|re)s?)$",
    re.IGNORECASE,
)
_MORE_THAN = re.compile(
    rf"{POLAR} there (?:ever )?more than (?P<number>\w+) (?P<thing>[\w -]+?)"
    r"(?=\s+(?:in|on|at|visible|seen)\b|\s*\?|\s*$)",
    re.IGNORECASE,
)


def what_to_count(question: str) -> str | None:
    """The query for the counting tool; None when the question counts nothing that could be seen."""
    match = (
        _MORE_THAN.match(question)
        or _HOW_OFTEN.search(question)
        or _HOW_MANY.search(question)
        or _COUNT_THEM.match(question)
        or _NUMBER_OF.search(question)
    )
    if not match or (match.re is _NUMBER_OF and shape_named(match["thing"]) is None):
        return None
    thing = match["thing"].strip()
    if _MEASURE.search(thing):
        return None
    in_all = (_IN_ALL.search(question) or _COUNT_THEM.match(question)) and not re.search(
        r"\b(?:different|distinct)\b", thing
    )
    return f"different {thing}" if in_all and _MORE_THAN.match(question) is None else thing


def count_seen(orientation: Orientation, done: Sequence[Done]) -> Move:
    """What is said or written of the number comes first; where that is nothing, the picture is counted."""
    query = _query(orientation)
    made = [step for step in done if step.call.name == COUNTER]
    if not made:
        asked = words_first(orientation, done)
        return on_each(orientation, COUNTER, object_query=query) if asked is None else asked
    tried = str(made[-1].call.arguments["object_query"])
    made = [step for step in made if step.call.arguments["object_query"] == tried]
    if any(not step.result.failure for step in made):
        return _say(_sum_up(made, orientation), orientation, unnamed=tried != query)
    anything = _anything(query)
    if query.startswith("different ") and tried != anything:
        return on_each(orientation, COUNTER, object_query=anything)
    return not_found(" ".join(["Nothing said or written tells the number.", *failures(done)]))


def _query(orientation: Orientation) -> str:
    """What to count: of shapes all that are ever seen, unless the question names a time or what is there at once."""
    question = orientation.question
    query = what_to_count(question)
    assert query is not None, "asked only where there is something to count"
    shape = shape_named(query)
    if shape is None or orientation.span or _AT_ONCE.search(question) or _MORE_THAN.match(question):
        return query
    return different(shape, question)


class _Counted(NamedTuple):
    """A count, what was counted, what shows it, why it does not stand for all, and whether it is of different ones."""

    number: int
    name: str
    found: list[Evidence]
    gaps: list[str]
    notes: list[str]
    different: bool


def _sum_up(made: Sequence[Done], orientation: Orientation) -> _Counted:
    """Different things add up over the videos; of what is there at once, the most in one video counts."""
    counted = [step for step in made if not step.result.failure]
    different = str(counted[0].call.arguments["object_query"]).startswith("different ")
    meant = counted if different else [max(counted, key=_number)]
    return _Counted(
        number=sum(map(_number, meant)),
        name=str(counted[0].result.output["object"]),
        found=trusted(evidence_from(meant, COUNTER)),
        gaps=unexamined(made, COUNTER, orientation),
        notes=noted(counted),
        different=different,
    )


def _say(counted: _Counted, orientation: Orientation, *, unnamed: bool) -> str:
    """The count with what shows it; an abstention that tells how far it got, where not all was looked at."""
    if counted.number and not counted.found:
        return not_found("What was counted cannot be shown.")
    more = _MORE_THAN.match(orientation.question)
    if more:
        return _more_than(more["number"], counted, orientation)
    if not counted.number:
        return not_found(" ".join([*counted.gaps, *counted.notes]))
    what = f"{counted.name} (what each is, the engine cannot tell)" if unnamed else counted.name
    number = f"{counted.number} × {what}"
    if counted.gaps:
        return not_found(" ".join([*counted.gaps, f"What was looked at shows {number}."]))
    glimpsed = sum(item.span.length == 0 for item in counted.found)
    if counted.different and 0 < glimpsed < len(counted.found):
        sure = f"At least {counted.number - glimpsed} × {what} are sure"
        return not_found(f"{sure}; {glimpsed} more may be there, seen in one look only.")
    marks = "".join(cite(item, orientation) for item in counted.found[:MOST_CITED])
    return f"{number}: “{counted.found[0].content}” {marks}"


def _number(step: Done) -> int:
    return int(step.result.output["count"])


def _anything(query: str) -> str:
    """What is counted where the engine does not know the thing that is asked for: all that moves, of its colour."""
    colour = next((name for name in COLOURS if name in query.casefold().split()), "")
    return " ".join(filter(None, ("different moving", colour, "things")))


def asks_ever_seen(orientation: Orientation) -> bool:
    """Whether a question asks if a thing that eyes could see is there at any time."""
    return bool(_EVER.match(orientation.question)) and asks_eyes(orientation)


def look_everywhere(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Whether it is ever said or written of; where it is not, whether the picture ever shows it."""
    match = _EVER.match(orientation.question)
    assert match is not None, "asked only where there is something to look for"
    if not called(done, COUNTER):
        told = find_all(orientation, done)
        if isinstance(told, list) or not told.startswith(NOT_FOUND):
            return told
        return on_each(orientation, COUNTER, object_query=f"different {match['thing']}")
    found = trusted(evidence_from(done, COUNTER))
    if found:
        return f"Yes: “{found[0].content}” {cite(found[0], orientation)}"
    return not_found(
        " ".join(unexamined(done, COUNTER, orientation) + noted(step for step in done if step.call.name == COUNTER))
    )


def _more_than(least: str, counted: _Counted, orientation: Orientation) -> str:
    """Yes as soon as so many were seen at once; No only where all of the time was looked at."""
    limit = NUMBER_WORDS.get(least.casefold(), least)
    if not limit.isdecimal():
        return not_found(f"“{least}” is no number.")
    more = counted.number > int(limit)
    if not counted.found or (counted.gaps and not more):
        return not_found(" ".join([*counted.gaps, *counted.notes]))
    word, bound = "Yes" if more else "No", "least" if counted.gaps else "most"
    shown = f"“{counted.found[0].content}” {cite(counted.found[0], orientation)}"
    return f"{word}, at {bound} {counted.number} × {counted.name} at once: {shown}"


def counts_by_eye(orientation: Orientation) -> bool:
    """Whether the question counts what the picture shows, rather than what is said or written."""
    return what_to_count(orientation.question) is not None and asks_eyes(orientation)
