"""Questions for a thing in the picture: where it is, whether it is there, which colour it has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Done, Move, called, cite, evidence_from, on_each, quote, trusted
from longtake.agent.rules.sight.seeing import asks_eyes, nothing_seen, words_first
from longtake.memory.records import Evidence
from longtake.preprocess.engines.objects_colours import COLOURS

TOOL = "object_detection"
MOST = 3
_THING = r"(?:the |an? |any )?(?P<thing>[a-z][\w -]*?)"
_PICTURE = r"(?:in (?:the|this) (?:picture|frame|image|shot|scene|view|video|clip)|to be seen|visible|on the screen)"
_AT = r"(?:\s+(?:at|between|from|during|around|in) [^?]*\d[^?]*)?"
_WHERE = re.compile(rf"^\W*where (?:in the (?:picture|frame|image|shot) )?(?:is|are) {_THING}(?: {_PICTURE})?{_AT}\W*$")
_THERE = re.compile(
    rf"^\W*(?:is|are) there {_THING} {_PICTURE}{_AT}\W*$"
    rf"|^\W*(?:is|are) (?:the |an? )(?P<other>[a-z][\w -]*?) {_PICTURE}{_AT}\W*$"
)
_COLOUR = re.compile(
    rf"^\W*(?:what|which) (?:colou?r (?:is|are|was|were|has|have)|is the colou?r of) {_THING}(?: {_PICTURE})?{_AT}\W*$"
)
_FEW = 4  # words of a name of a thing
_THIRDS = 0.4, 0.6


def asks_thing(orientation: Orientation) -> bool:
    """Whether a question asks where a thing is in the picture, whether it is there, or its colour."""
    return asks_eyes(orientation) and _thing(orientation.question) is not None


def find_thing(orientation: Orientation, done: Sequence[Done]) -> Move:
    """What is said or written of it comes first; then the picture is searched for it, and its place told."""
    question = orientation.question.casefold()
    if not called(done, TOOL):
        asked = words_first(orientation, done)
        return on_each(orientation, TOOL, categories=[_thing(question)]) if asked is None else asked
    found = trusted(evidence_from(done, TOOL))
    if _COLOUR.match(question):
        found = [item for item in found if any(name in item.content.split() for name in COLOURS)]
    if not found:
        return nothing_seen(done, TOOL, "Nothing said or written answers this.")
    if len(found) > MOST and not _THERE.match(question):
        return nothing_seen(done, TOOL, f"{len(found)} of them are seen, and which is meant cannot be told.")
    if _THERE.match(question):
        return f"Yes: {quote(found[:MOST], orientation)}"
    return " ".join(f"“{item.content}”{_place(item)} {cite(item, orientation)}." for item in found[:MOST])


def _thing(question: str) -> str | None:
    plain = question.casefold()
    match = _WHERE.match(plain) or _THERE.match(plain) or _COLOUR.match(plain)
    if match is None:
        return None
    thing: str = match["thing"] or match["other"]
    return thing if len(thing.split()) <= _FEW else None


def _place(item: Evidence) -> str:
    """In which ninth of the picture the middle of a thing lies, as in ", at the upper left"."""
    if not item.box:
        return ""
    left, top, width, height = item.box
    across = third(left + width / 2, ("left", "", "right"))
    down = third(top + height / 2, ("upper", "", "lower"))
    if not across:
        return f", in the {down or 'middle'}{' middle' if down else ''}"
    return f", at the {' '.join(filter(None, (down, across)))}"


def third(place: float, names: tuple[str, str, str]) -> str:
    """Of the names of a first, a middle and a last part that of the one in which a place, 0 to 1, lies."""
    first, second = _THIRDS
    return names[(place >= first) + (place > second)]
