"""Requests to look up on the web what a slide names: the slide tells which thing it is, web pages the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import Orientation
from longtake.agent.rows import CELLS, rows
from longtake.agent.rules.errands.web import TOOL, asks_web, search_web
from longtake.agent.rules.moves import (
    READER,
    Call,
    Done,
    Move,
    called,
    evidence_from,
    not_found,
    on_each,
    quote,
    trusted,
)
from longtake.agent.rules.sight.seeing import without_tools
from longtake.agent.rules.slides import slides_of, title_of
from longtake.agent.words import STOPWORDS, content_stems, coverage, cue, stem, stems, words
from longtake.memory.records import Evidence

_ON_WEB = r"(?:web(?! ?(?:site|page|address))|internet|online)"
_WEB = re.compile(
    rf"(?:^|[.?!;:,]|\band|\bthen)\W*(?:(?:please|can you|could you|then) )*"
    rf"(?:(?:search|browse|check|consult|use|using|ask) (?:the |an? )?{_ON_WEB}\b"
    r"|(?:search|look|check|find)\b[^.?!]*\b(?:on|in|over|across) (?:the )?(?:web|internet)\b"
    r"|(?:search|look|check|find)\b[^.?!]*\bonline\b)"
    rf"|\b(?:according to|with the help of|by|via|through) (?:the |an? )?{_ON_WEB}\b",
    re.IGNORECASE,
)
# Where the thing stands; a request without such words has to name the slide by its title.
_SHOWN = cue("slide, screen, video, picture, board, sign, shown, named, names, written, mentioned, listed, read")
_ASKING = stems(
    "search look up browse check google find consult use using via ask help web internet online according slide screen "
    "video picture board sign shown named names written mentioned listed read used"
)


def asks_looked_up(orientation: Orientation) -> bool:
    """Whether the web is to be asked of what the video may name, not only of what the request itself names."""
    request = orientation.own_words
    return bool(_WEB.search(request)) and (not asks_web(orientation) or bool(_SHOWN.search(request)))


def look_up(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The line that names the thing, and what web pages say of it; where they cannot be asked, the line alone."""
    if not called(done, READER):
        return on_each(orientation, READER)
    request = orientation.own_words
    named = _things_named(request, trusted(evidence_from(done, READER)))
    if not named and asks_web(orientation):
        return search_web(orientation, without_tools(done, READER))
    if len({each.value for each in named}) != 1:
        return not_found("It cannot be told from what is written which thing is to be looked up.")
    thing = named[0]
    wanted = [word for word in words(request) if word not in STOPWORDS and stem(word) not in thing.terms | _ASKING]
    if not called(done, TOOL):
        return [Call(TOOL, {"query": " ".join([*wanted, thing.value])})]
    told = quote([thing.line], orientation)
    terms = content_stems(" ".join([*wanted, thing.value]))
    results = done[-1].result.output.get("results", ())
    fitting = [found for found in results if coverage(terms, f"{found['title']} {found['snippet']}") == 1.0]
    if not fitting:
        return f"{told} {NOT_FOUND} “{' '.join(wanted)}” on the web."
    return f"{told} {NOT_FOUND} “{fitting[0]['snippet']}”"  # it is told, with its address, as no claim of the video


class _Thing(NamedTuple):
    """What a labelled line tells, the line, and the stems of its label and of the title above it."""

    value: str
    line: Evidence
    terms: frozenset[str]


def _things_named(request: str, texts: Sequence[Evidence]) -> list[_Thing]:
    """What stands behind a label that a request holds: on the slide that it names by its title, else on any."""
    titled, others = list[_Thing](), list[_Thing]()
    for slide in slides_of(texts):
        title = content_stems(title_of(slide).content)
        for line in rows(slide):
            label, _, value = line.content.partition(CELLS if CELLS in line.content else ":")
            terms = content_stems(label)
            if value.strip() and coverage(terms, request) == 1.0:
                named = _Thing(value.strip(), line, frozenset([*terms, *title]))
                (titled if coverage(title, request) == 1.0 else others).append(named)
    return titled or (others if _SHOWN.search(request) else [])
