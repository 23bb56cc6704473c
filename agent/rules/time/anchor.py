"""Questions that name their place by something else: "while the lights are off", "between the tone and the bang"."""

from __future__ import annotations

import re
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rules.answer_types import answer_type
from longtake.agent.rules.everything import is_total
from longtake.agent.rules.matching import ENOUGH, key_terms, score
from longtake.agent.rules.moves import not_found, quote
from longtake.agent.rules.reading import NTH
from longtake.agent.rules.steps import Steps, together
from longtake.agent.rules.time.places import TOLD, beside, can_be_found, find_places, is_time, place_both, veiled
from longtake.agent.words import cue, holds_phrase
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

BESIDE = 20.0  # seconds after, or before, that "after" and "before" mean where not everything is wanted
_ASKED = r"(?:what|which|who|whose|how|where|when|is|are|does|do|did|list|name|show|count|transcribe|summari[sz]e)\b.+?"
_FORMS = tuple(
    re.compile(rf"^(?:and|but|so|then)?,?\s*(?P<main>{_ASKED}),?\s+{place}\s*[.?]*$", re.IGNORECASE)
    for place in (
        r"(?:in )?(?P<relation>between)\s+(?P<one>.+?),?\s+and\s+(?P<other>.+?)",
        r"(?P<relation>from)\s+(?P<one>.+?),?\s+(?:until|till|up to|to)\s+(?P<other>.+?)",
        r"(?:up )?(?P<relation>until|till)\s+(?P<one>.+?)",
        r"(?:(?:ever )?(?P<relation>since)|(?P<starting>starting (?:from|with)))\s+(?P<one>.+?)(?:\s+on(?:wards)?)?",
        r"(?:right |just |shortly |immediately )?"
        r"(?P<relation>while|when|during|after|before|as soon as)\s+(?P<one>.+?)",
    )
)
# The place may come first: "After the bang, what is said?"
_PLACE_FIRST = re.compile(
    rf"^(?P<place>(?:(?:right |just )?(?:after|before)|between|from|while|during|until|since|starting (?:from|with)"
    rf"|when (?!is|are|was|were|do|does|did|will|can))\b.+?),\s+(?P<main>{_ASKED})\s*\?*$",
    re.IGNORECASE,
)
_BACK = re.compile(r"(?:that|this|it|then)(?: happen(?:s|ed))?", re.IGNORECASE)
_IS_TOLD = cue(
    f"{TOLD}, say, says, spoken, speaks, speak, show, visible, hear, audible, played, plays, sung, read, happens, "
    "happen, occurs, occur, goes on"
)
_PHRASAL = re.compile(
    r"\b(?:look(?:s|ed|ing)?|nam(?:e|es|ed|ing)|called|takes?|one|day|year|ask(?:s|ed)?)$", re.IGNORECASE
)
_RELATIONAL = re.compile(r"\b(?:the|a|an)\s+[\w-]+$", re.IGNORECASE)  # "the distance" between two things
_HAPPENS = cue("come, comes, came, follow, follows, followed, happen, happens, happened, is next, is done, was done")
_IS_SO = cue("is, are, was, were, has been, have been, had been, goes, gets")
_STRETCHES = ("between", "from", "until", "since")  # told of the video's time only where something is said or shown
_WHOLE = ("transcribe", "hear", "count")  # kinds that would answer from the whole, were the place left out


class Anchored(NamedTuple):
    """The question without its anchor, how the two relate, and the one or two things it names its place by."""

    main: str
    relation: str
    things: tuple[str, ...]


def anchored(orientation: Orientation) -> Anchored | None:
    """The anchor of a question; None when it has none that can be found, or names a time by itself."""
    question = _place_last(orientation.question.strip())
    hidden = veiled(question)
    for form in _FORMS:
        match = form.match(hidden)
        if match:
            groups = ("one", "other") if "other" in form.groupindex else ("one",)
            things = tuple(question[match.start(name) : match.end(name)] for name in groups)
            relation = (match["relation"] or "since").casefold()
            main = question[match.start("main") : match.end("main")]
            anchor = Anchored(main, "until" if relation == "till" else relation, things)
            if _is_anchor(anchor, orientation):
                return anchor
    return None


def at_anchor(anchor: Anchored, orientation: Orientation) -> Steps[Orientation | str]:
    """The main question at the anchor's place, once that is found.

    A line that answers the question in its own words, "before the dome turns, you hear a tone", is quoted itself.
    Where it is not found, the question as it was, for its words may still stand in a line; or an abstention, where it
    would be answered from the whole.
    """
    orientation = orientation.model_copy(update={"span": None, "point": False})
    found = yield from _found(anchor, orientation)
    places = list(place_both(*found) or []) if len(found) > 1 else found[0][:1]
    if _is_event(anchor) and any(place.modality == "scene_text" for place in places):
        places = []  # when the writing stands there, not when what it tells of is so
    main = _as_asked(anchor, orientation)
    said_so = [place for place in found[0] if _says_so(place, anchor, orientation)]
    if said_so:
        return quote(said_so, orientation)
    if not places:
        wordless = not key_terms(anchor.main)  # "what is shown": without its place it asks for nothing
        if wordless or main.kind in _WHOLE or is_total(anchor.main) or anchor.relation in _STRETCHES:
            missing = [thing for thing, each in zip(anchor.things, found, strict=True) if not each]
            return not_found(f"It cannot be told when this is: {', '.join(missing or anchor.things)}.")
        return orientation
    length = orientation.videos[places[0].video]
    far = is_total(anchor.main) or main.exhaustive or main.kind == "when" or NTH.search(anchor.main)
    reach = length if far else BESIDE
    alone = beside(anchor.relation, places[0].span, length, reach)
    span = _between(anchor.relation, places[0], places[1]) if len(places) > 1 else alone
    whole = len(orientation.videos) > 1 and all(is_time(thing) for thing in anchor.things)
    videos = orientation.videos if whole else {places[0].video: length}
    return main.model_copy(update={"span": span, "videos": videos, "relation": anchor.relation})


def _is_event(anchor: Anchored) -> bool:
    """Whether a question asks what happens before or after something is so: "what comes after the roof is on"."""
    return bool(_HAPPENS.search(anchor.main)) and any(_IS_SO.search(thing) for thing in anchor.things)


def _says_so(place: Evidence, anchor: Anchored, orientation: Orientation) -> bool:
    """Whether a line holds the anchor as the question words it, and answers: it tells what is so then, not when."""
    if place.modality not in ("speech", "scene_text") or not place.trusted or not key_terms(anchor.main):
        return False
    worded = holds_phrase(f"{anchor.relation} {anchor.things[0]}", place.content)
    return worded and score(orientation.question, place, [place]) >= ENOUGH


def _place_last(question: str) -> str:
    first = _PLACE_FIRST.match(veiled(question))
    if not first:
        return question
    place, main = (question[first.start(name) : first.end(name)] for name in ("place", "main"))
    return f"{main} {place[:1].lower()}{place[1:]}"


def _is_anchor(anchor: Anchored, orientation: Orientation) -> bool:
    timed = [is_time(thing) for thing in anchor.things]
    if orientation.span is not None and (not any(timed) or (anchor.relation in ("between", "from") and all(timed))):
        return False  # the time it names is its place
    if any(timed) and anchor.relation in ("while", "when", "during", "as soon as"):
        return False
    if anchor.relation == "after" and _PHRASAL.search(anchor.main):
        return False  # "look after", "named after"
    if anchor.relation in _STRETCHES and (not _IS_TOLD.search(anchor.main) or _RELATIONAL.search(anchor.main)):
        return False
    # "What is shown after the code?" asks for nothing without its place, and that has no words to be found by.
    nameless = not key_terms(anchor.main) and any(answer_type(thing) for thing in anchor.things)
    return nameless or _points_back(anchor, orientation) or all(can_be_found(thing) for thing in anchor.things)


def _points_back(anchor: Anchored, orientation: Orientation) -> bool:
    last = orientation.last
    return last is not None and last.video in orientation.videos and bool(_BACK.fullmatch(anchor.things[0]))


def _found(anchor: Anchored, orientation: Orientation) -> Steps[list[list[Evidence]]]:
    """Where each thing may be, the likeliest place first."""
    last = orientation.last
    if last is not None and _points_back(anchor, orientation):
        span = TimeSpan(start=last.start, end=last.end)
        back = Evidence(video=last.video, span=span, modality=last.modality, content=last.quote, engine="thread")
        return [[back]]
    return (yield from together([find_places(thing, orientation) for thing in anchor.things]))


def _between(relation: str, first: Evidence, second: Evidence) -> TimeSpan:
    """Between two things: from the end of the first, or, where it lasts until then or is meant too, its start."""
    apart = relation == "between" and first.span.end <= second.span.start
    return TimeSpan(start=first.span.end if apart else first.span.start, end=second.span.start)


def _as_asked(anchor: Anchored, orientation: Orientation) -> Orientation:
    main = orientation.reworded(anchor.main)
    # "Which prices are shown between A and B?" means all that are there.
    of_a_kind = anchor.relation in _STRETCHES and answer_type(anchor.main) is not None and not key_terms(anchor.main)
    return main.model_copy(update={"exhaustive": True}) if of_a_kind else main
