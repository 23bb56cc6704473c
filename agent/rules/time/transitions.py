"""How the picture changes to something that is named: by a cut, a dissolve or a fade."""

from __future__ import annotations

import re

from longtake.agent.orientation import QUOTATION, Orientation
from longtake.agent.rules.moves import evidence_from, not_found, on_video, trusted
from longtake.agent.rules.sight.seeing import told
from longtake.agent.rules.steps import Steps
from longtake.agent.rules.time.places import can_be_found, find_places, veiled
from longtake.tools.quiet_changes import GRADUAL, SUDDEN

TOOL = "detect_activities"
BESIDE = 2.0  # seconds before and after the text appears in which the picture changes to it
_PICTURE = r"(?:picture|video|film|clip|screen|view|shot|image)"
_EDIT = r"\b(?:transition|cut|dissolve|fade|(?:kind|type|sort|manner) of change)"
# "By which transition does ... come in?", and of what names no way: "How does the picture change to ...?"
_VERB = (
    r"\b(?:chang\w+|begins?|starts?|appears?|comes?|introduc\w+|transition\w*|goe?s?|pass(?:es)?|leads?|gets?|enters?"
    r"|reach\w*|brings?|opens?)\b"
)
_CHANGES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^\W*(?:how|by|does|do|did|is|are|was|with|what|which|in|through)\b(?=[^?]*{_EDIT})[^?]*{_VERB}",
        rf"^\W*(?:the )?(?:slide )?_+ {_VERB}[^?]* (?:by|with|through) (?:what|which)\b[^?]*{_EDIT}",
        rf"^\W*(?:how|(?:in|by) (?:what|which) (?:way|means)) (?:does|did) the {_PICTURE} "
        r"(?:change|switch|turn|go|get|pass)\b[^?]* (?:in)?to\b",
        r"^\W*how (?:is|was) (?:the (?:slide|picture|shot)\b[^?]*|_+) (?:introduced|brought in)\b",
        r"^\W*how (?:does|did) the slide\b[^?]* (?:appear|begin|start|come (?:in|on|up))\b",
    )
)
_SLIDE = re.compile(r"\bthe (?!next|last|first)[\w'-]+(?: [\w'-]+)? slide\b", re.IGNORECASE)
_KINDS = ("cut", "dissolve", "fade", SUDDEN, GRADUAL)


def changes_to(question: str) -> str | None:
    """What the picture changes to, where a question asks in which way; None where it does not."""
    thing = QUOTATION.search(question) or _SLIDE.search(question)
    hidden = veiled(question)
    asked = thing and any(form.search(hidden) for form in _CHANGES)
    return thing[0] if thing and asked and can_be_found(thing[0]) else None


def find_change(thing: str, orientation: Orientation) -> Steps[str]:
    """The change of shot that is nearest to where the thing appears."""
    places = trusted((yield from find_places(thing, orientation)))
    shown = [place for place in places if place.modality == "scene_text"]
    if not shown:
        return not_found(f"It cannot be told when this is: {thing}.")
    first = min(shown, key=lambda place: place.span.start)
    around = [max(0.0, first.span.start - BESIDE), first.span.start + BESIDE]
    done = yield [on_video(orientation, first.video, TOOL, timestamp=[round(time, 3) for time in around])]
    changes = [item for item in trusted(evidence_from(done, TOOL)) if item.content.startswith(_KINDS)]
    if not changes:
        return not_found("No change of shot was found there.")
    nearest = min(changes, key=lambda item: abs(item.span.end - first.span.start))
    return told([nearest], orientation)
