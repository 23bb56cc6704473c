"""Questions about a slide whose title stands in quotation marks: "What does the slide “Opening hours” say?"."""

from __future__ import annotations

import re

from longtake.agent.orientation import POLAR, QUOTATION, Orientation
from longtake.agent.rules.answer_types import answer_type, holds
from longtake.agent.rules.facts import accepted
from longtake.agent.rules.matching import key_terms
from longtake.agent.rules.moves import quote
from longtake.agent.rules.outline import read_outline
from longtake.agent.rules.reading import MOST_TEXTS
from longtake.agent.rules.steps import Steps
from longtake.agent.rules.time.places import veiled
from longtake.agent.words import cue, words

_HEARD = cue("speaker, said, spoken, speaks, hear, heard, voice")
_NAMED = re.compile(
    rf"\bslide,?(?:\s+(?:that is )?(?:titled|entitled|called|named|headed|with the title))?\s+(?:{QUOTATION.pattern})"
    rf"|(?:{QUOTATION.pattern})\s+slide\b",
    re.IGNORECASE,
)


def asks_on_slide(orientation: Orientation) -> bool:
    """Whether a question asks what stands on a slide that it names by its title."""
    told_else = _HEARD.search(veiled(orientation.question))
    what = orientation.kind in ("fact", "read") and not re.match(POLAR, orientation.question, re.IGNORECASE)
    return what and not told_else and len(orientation.quoted) == 1 and bool(_NAMED.search(orientation.question))


def read_on_slide(orientation: Orientation) -> Steps[str]:
    """The lines of that slide which answer the rest of the question; empty where none is sure to."""
    (title,) = orientation.quoted
    slides = [s for s in (yield from read_outline(orientation)) if words(s.title.content) == words(title)]
    if len(slides) != 1:
        return ""
    asked = orientation.reworded(_NAMED.sub("slide", orientation.question))
    kind, lines = answer_type(asked.question), slides[0].lines
    found = (
        accepted(asked, lines) if key_terms(asked.question) else [line for line in lines if holds(kind, line.content)]
    )
    return quote(found, orientation) if len(found) <= (1 if kind else MOST_TEXTS) else ""
