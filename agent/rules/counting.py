"""How many of a thing the picture shows: counted by a tool, and said as it was counted, at once or in all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import Orientation
from longtake.agent.rules.everything import find_all
from longtake.agent.rules.moves import Done, Move, called, cite, evidence_from, failures, not_found, on_each, trusted
from longtake.agent.words import NUMBER_WORDS
from longtake.preprocess.engines.objects_colours import COLOURS

TOOL = "count_objects"
MOST_CITED = 3
_ENDS = (
    r"(?:are|is|do|does|did|can|could|come|comes|appear|appears|drive|drives|pass|passes|cross|crosses|walk|walks|"
    r"stand|stands|sit|sits|in|on|there|have|has|were|was|over|at|shown|seen|visible|move|moves|enter|enters)"
)
_HOW_MANY = re.compile(rf"\bhow many (?!times\b)(?P<thing>[\w -]+?)(?=\s+{_ENDS}\b|\s*\?|\s*$)", re.IGNORECASE)
_HOW_OFTEN = re.compile(
    r"\bhow (?:many times|often) (?:do|does|did) (?:an? |the |any )?(?P<thing>[\w -]+?) "
    r"(?:come|appear|enter|pass|cross|drive|walk|move)\b",
    re.IGNORECASE,
)
_EVER = re.compile(
    r"^\W*(?:is|are|was|were) there ever (?:an? |any )?(?P<thing>(?!more than)[a-z-]+(?: [a-z-]+){0,2}?)"
    r"(?=\s+(?:in|on|at|visible|seen)\b|\s*\?|\s*$)",
    re.IGNORECASE,
)
_IN_ALL = re.compile(
    r"\b(?:in total|in all|altogether|over the (?:whole )?(?:video|film|clip)|come|comes|enter|enters|pass|passes|"
    r"drive|drives|cross|crosses|walk|walks)\b",
    re.IGNORECASE,
)
_MORE_THAN = re.compile(
    r"^\W*(?:is|are|was|were) there (?:ever )?more than (?P<number>\w+) (?P<thing>[\w -]+?)"
    r"(?=\s+(?:in|on|at|visible|seen)\b|\s*\?|\s*$)",
    re.IGNORECASE,
)


def what_to_count(question: str) -> str | None:
    """The query for the counting tool; None when the question counts nothing that could be seen."""
    match = _MORE_THAN.match(question) or _HOW_OFTEN.search(question) or _HOW_MANY.search(question)
    if not match:
        return None
    thing = match["thing"].strip()
    in_all = _IN_ALL.search(question) and not re.search(r"\b(?:different|distinct)\b", thing)
    return f"different {thing}" if in_all and _MORE_THAN.match(question) is None else thing


def count_seen(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Count over the time asked about, in every video; the answer says what the count is of."""
    query = what_to_count(orientation.question)
    assert query is not None, "asked only where there is something to count"
    if not called(done, TOOL):
        return on_each(orientation, TOOL, object_query=query)
    counted = [step for step in done if step.call.name == TOOL and not step.result.failure]
    if not counted:
        anything = _anything(query)
        tried = any(step.call.arguments["object_query"] == anything for step in done if step.call.name == TOOL)
        if query.startswith("different ") and not tried:
            return on_each(orientation, TOOL, object_query=anything)
        return not_found(" ".join(failures(done)))
    count = sum(int(step.result.output["count"]) for step in counted)
    name = str(counted[0].result.output["object"])
    found = trusted(evidence_from(counted, TOOL))
    if count and not found:
        return not_found("What was counted cannot be shown.")
    more = _MORE_THAN.match(orientation.question)
    if more:
        return _more_than(more["number"], count, name, counted, orientation)
    if not count:
        return not_found(" ".join(note for step in counted for note in step.result.notes))
    marks = "".join(cite(item, orientation) for item in found[:MOST_CITED])
    unnamed = counted[0].call.arguments["object_query"] == _anything(query)
    what = f"{name} (what each is, the engine cannot tell)" if unnamed else name
    return f"{count} × {what}: “{found[0].content}” {marks}"


def _anything(query: str) -> str:
    """What is counted where the engine does not know the thing that is asked for: all that moves, of its colour."""
    colour = next((name for name in COLOURS if name in query.casefold().split()), "")
    return " ".join(filter(None, ("different moving", colour, "things")))


def asks_ever_seen(orientation: Orientation) -> bool:
    """Whether a question asks if a thing that eyes could see is there at any time."""
    return bool(_EVER.match(orientation.question)) and _by_eye(orientation)


def look_everywhere(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Whether it is ever said or written of; where it is not, whether the picture ever shows it."""
    match = _EVER.match(orientation.question)
    assert match is not None, "asked only where there is something to look for"
    if not called(done, TOOL):
        told = find_all(orientation, done)
        if isinstance(told, list) or not told.startswith(NOT_FOUND):
            return told
        return on_each(orientation, TOOL, object_query=f"different {match['thing']}")
    found = trusted(evidence_from(done, TOOL))
    if found:
        return f"Yes: “{found[0].content}” {cite(found[0], orientation)}"
    return not_found(" ".join(failures(done) or [note for step in done for note in step.result.notes]))


def _more_than(number: str, count: int, name: str, counted: Sequence[Done], orientation: Orientation) -> Move:
    least = NUMBER_WORDS.get(number.casefold(), number)
    if not least.isdecimal():
        return not_found(f"“{number}” is no number.")
    found = trusted(evidence_from(counted, TOOL))
    if not found:
        return not_found(" ".join(note for step in counted for note in step.result.notes))
    word = "Yes" if count > int(least) else "No"
    return f"{word}, at most {count} × {name} at once: “{found[0].content}” {cite(found[0], orientation)}"


def counts_by_eye(orientation: Orientation) -> bool:
    """Whether the question counts what the picture shows, rather than what is said or written."""
    return what_to_count(orientation.question) is not None and _by_eye(orientation)


def _by_eye(orientation: Orientation) -> bool:
    return not {"speech", "scene_text", "audio"} & set(orientation.modalities) and not orientation.quoted
