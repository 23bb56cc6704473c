"""Where in the picture a shape stands: in a corner, at a side or in the middle."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Done, Move, called, cite, evidence_from, on_each, trusted, unexamined
from longtake.agent.rules.sight.seeing import asks_eyes, nothing_seen, words_first
from longtake.agent.rules.sight.shapes import COUNTER, shape_named
from longtake.agent.rules.sight.things import asks_thing, third
from longtake.memory.records import Evidence

_PART = r"(?:corner|side|part|quarter|quadrant|area|edge)(?: of the (?:picture|frame|image|shot|screen|scene|view))?"
_VERB = r"(?:is|are|does|do|did|can|could|was|were)"
_THING = r"(?:the |an? )?(?P<thing>[a-z][\w' -]*?)"
_STANDS = (
    r"(?: (?:(?:to )?be )?(?:stands?|sits?|rests?|stays?|lies?|appears?|remains?|seen|found|located|placed|situated|"
    r"standing|sitting|visible|shown|occupy))?(?: (?:in|at|on|put))?(?: the (?:picture|frame|image|screen))?"
    r"(?: (?:all|the whole|the entire) time| throughout)?\W*$"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^\W*(?:(?:in|at|on|near) )?(?:which|what) {_PART} {_VERB} {_THING}{_STANDS}",
        rf"^\W*(?:which|what) {_PART} (?:holds|contains|has|shows) {_THING}\W*$",
        rf"^\W*where(?: in the (?:picture|frame|image|shot)| on the screen)? {_VERB} {_THING}{_STANDS}",
        rf"^\W*what is the (?:place|position|location|corner) of {_THING}\W*$",
        rf"^\W*(?:name|give|tell me) the {_PART} (?:in which|at which|where|that) {_THING}{_STANDS}",
        rf"^\W*(?:one |there is )?{_THING} (?:does|stands|stays|never|that)\b[^.?]*[.;,] (?:and )?(?:where|(?:in|at) "
        rf"(?:which|what) {_PART}) (?:is|does) it\b[^?]*\W*$",
        rf"^\W*{_THING} (?:is|stands|sits|stays|rests) (?:in|at) (?:which|what) {_PART}\W*$",
    )
)
_LEAST = 0.5  # seconds for which something stands that has a place


def asks_corner(orientation: Orientation) -> bool:
    """Whether a question asks where a shape stands; where it is at one time is told of anything that moves, too."""
    if orientation.span and asks_thing(orientation):
        return False
    return asks_eyes(orientation) and _shape(orientation.question) is not None


def find_corner(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The one place at which such shapes stand; an abstention where they move, or stand at several."""
    shape = _shape(orientation.question)
    if not called(done, COUNTER):
        asked = words_first(orientation, done)
        return on_each(orientation, COUNTER, object_query=f"different {shape}") if asked is None else asked
    seen = [item for item in trusted(evidence_from(done, COUNTER)) if item.span.length >= _LEAST]
    standing = [item for item in seen if item.box and ", from " not in item.content]
    places = {_place(item) for item in standing}
    doubts = unexamined(done, COUNTER, orientation)
    if len(places) != 1 or doubts:
        several = f"A {shape} stands at {len(places)} places." if len(places) > 1 else ""
        return nothing_seen(done, COUNTER, *doubts, several or (f"Every {shape} moves." if seen else ""))
    proof = max(standing, key=lambda item: item.span.length)
    return f"The {shape} is {places.pop()}: “{proof.content}” {cite(proof, orientation)}"


def _shape(question: str) -> str | None:
    match = next(filter(None, (form.match(question) for form in _FORMS)), None)
    return shape_named(match["thing"]) if match else None


def _place(item: Evidence) -> str:
    """In which ninth of the picture the middle of a thing lies, in words."""
    assert item.box, "asked only of what has a place"
    left, top, width, height = item.box
    across = third(left + width / 2, ("left", "", "right"))
    down = third(top + height / 2, ("top", "", "bottom"))
    if across and down:
        return f"in the {down} {across} corner"
    return f"at the {down or across}" if down or across else "in the middle"
