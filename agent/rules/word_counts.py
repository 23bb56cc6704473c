"""How often words occur in what is said or written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, groupby

from longtake.agent.orientation import Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import (
    LISTENER,
    READER,
    Done,
    Move,
    cite,
    doubtful,
    evidence_from,
    not_found,
    on_each,
    partly_unread,
)
from longtake.memory.records import Evidence

MOST_CITED = 12
_MENTIONS = re.compile(
    r"\bhow (?:many times|often) (?:is|are|was|were|do they|does (?:he|she)) (?:say |mention )?(?:the |an? )?(?:word )?"
    r"(?P<word>[\w-]+)(?: (?:said|mentioned|written|shown))?\W*$",
    re.IGNORECASE,
)


def count_words(orientation: Orientation, done: Sequence[Done]) -> Move:
    """How often the quoted words occur in what is said, or, where the question names that, in what is written."""
    wanted = orientation.quoted or _mentioned(orientation.question)
    if not wanted:
        return find_fact(orientation, done)
    if not done:
        return on_each(orientation, LISTENER) + on_each(orientation, READER)
    tools = [READER if "scene_text" in orientation.modalities else LISTENER]
    if not evidence_from(done, *tools):
        tools = [LISTENER, READER]
    found = evidence_from(done, *tools)
    term = re.compile(rf"(?<!\w){re.escape(wanted[0])}(?!\w)", re.IGNORECASE)
    holding = _holding(term, found)
    if not all(item.trusted for item in found):
        places = doubtful(holding, orientation)
        return not_found(" ".join(["Words cannot be counted where some are recognised poorly.", *places]))
    gaps = [gap for tool in tools for gap in partly_unread(done, tool, orientation)]
    if not holding:
        return not_found(" ".join([f"“{wanted[0]}” does not occur in {len(found)} pieces of text.", *gaps]))
    marks = "".join(cite(item, orientation) for item in dict.fromkeys(holding[:MOST_CITED]))
    times = f"“{wanted[0]}” occurs {'once' if len(holding) == 1 else f'{len(holding)} times'} {marks}"
    return not_found(" ".join([*gaps, f"In what was read {times}"])) if gaps else times


def _mentioned(question: str) -> tuple[str, ...]:
    """The one word whose mentions are counted: "How many times is the crane mentioned?"."""
    match = _MENTIONS.search(question)
    return (match["word"],) if match else ()


def _holding(term: re.Pattern[str], found: Sequence[Evidence]) -> list[Evidence]:
    """The piece in which each occurrence begins; one of speech may go on in the next line."""
    spoken = [item for item in found if item.modality == "speech"]
    spoken.sort(key=lambda item: (item.video, item.span.start))
    lines = [list(pieces) for _, pieces in groupby(spoken, key=lambda item: item.video)]
    holding = list[Evidence]()
    for pieces in [*lines, *([item] for item in found if item.modality != "speech")]:
        starts = list(accumulate((len(item.content) + 1 for item in pieces), initial=0))
        text = " ".join(item.content for item in pieces)
        holding += [pieces[bisect_right(starts, match.start()) - 1] for match in term.finditer(text)]
    return holding
