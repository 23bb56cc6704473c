"""Things seen while a sound is heard: which colour they have, and which one it is of those that come one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import ORDINALS, Orientation, classify
from longtake.agent.rules.moves import evidence_from, not_found, on_each, quote, trusted
from longtake.agent.rules.sight.shapes import COUNTER
from longtake.agent.rules.sounds import TOOL as LISTEN
from longtake.agent.rules.sounds import kinds_named, of_kinds, sounds_named
from longtake.agent.rules.steps import Steps
from longtake.agent.rules.time.sound_order import chains
from longtake.agent.words import NUMBER_WORDS
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects_colours import COLOURS
from longtake.preprocess.engines.objects_query import parse_query

AROUND = 30.0  # seconds before and after a sound in which things that come one by one are looked for
MARGIN = 0.5  # seconds
_NOUN = (
    r"(?!(?:is|are|was|were|has|have|does|do|did|can|could|will|would|of|one|the|an?|that|this|these|those)\b)"
    r"(?P<thing>[a-z]+)"
)
_COLOUR = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\bcolou?r of (?:(?:the|that|this|an?) )?{_NOUN}\b",
        rf"\b(?:what|which) colou?r (?:(?:is|are|was|were|has|have|does|do|did) )?(?:the|that|this|an?) {_NOUN}\b",
        rf"\b(?:what|which) colou?r(?:ed)? {_NOUN}\b",
        rf"\b(?:while|when|as) (?:the|an?|one of the) {_NOUN}\b.*?\b(?:what|which) colou?r (?:is|has|does) it\b",
    )
)
_NUMBER = rf"(?P<number>{'|'.join(NUMBER_WORDS)}|\d+)"
_NTH = "|".join(ordinal for ordinal in ORDINALS if ordinal != "last")
_WHICH = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\bof (?:the |these |those )?{_NUMBER} {_NOUN}\b",
        rf"\bwhich (?:one )?of the {_NOUN}\b",
        rf"\b(?:{_NTH}),? or (?:the )?(?:{_NTH}) {_NOUN}\b",
        rf"\bwhich {_NOUN}(?=,| (?:is|are|was|were|does|do|did|can|could|has|have|in|on|\w+s)\b)",
    )
)
_ASKS = re.compile(
    rf"\b(?:which|what|name|tell|say|give|identify|state)\b|\b(?:{_NTH}),? or (?:the )?(?:{_NTH})\b", re.IGNORECASE
)
_NOT_THEN = re.compile(
    r"\b(?:before|after|until|till|since|between|from|follow\w*|preced\w*|next|previous)\b", re.IGNORECASE
)
_ON_SCREEN = re.compile(r"\bon (?:the )?screen\b", re.IGNORECASE)
# What is not looked for in the picture, being all of it, in it as words, or time.
_NO_THING = frozenset(
    "screen picture image frame background slide text title word video scene part shot moment time point second order "
    "way direction sound noise kind colour color letter number line person speaker".split()
)


class AtSound(NamedTuple):
    """What is asked of a thing that is seen during a sound: its `colour`, or `which` of them it is; 0 of no number."""

    asked: str
    thing: str
    number: int


def asked_at_sound(orientation: Orientation) -> AtSound | None:
    """What a question asks of a thing during a sound; None where it asks no such thing."""
    question = _ON_SCREEN.sub(" ", orientation.question)
    sounds = [name.casefold() for name in sounds_named(question)]
    if orientation.quoted or orientation.span or _NOT_THEN.search(question):
        return None
    if len(sounds) != 1 or not _ASKS.search(question) or {"speech", "scene_text"} & set(classify(question)[1]):
        return None
    for asked, forms in (("colour", _COLOUR), ("which", _WHICH)):
        match = next(filter(None, (form.search(question) for form in forms)), None)
        thing = match["thing"].casefold() if match else ""
        if match and not {thing, thing.removesuffix("s")} & {*_NO_THING, *NUMBER_WORDS, *sounds}:
            number = match.groupdict().get("number") or str(_ordinals(question))
            return AtSound(asked, thing, int(NUMBER_WORDS.get(number.casefold(), number)))
    return None


def find_at_sound(at: AtSound, orientation: Orientation) -> Steps[str]:
    """The thing that is seen during the sound; empty where nothing of the kind is seen.

    Abstains where the sound is heard several times or not at all, or several of the things are seen; of what is no
    shape that is surely counted, that is left to others as well.
    """
    draft = yield from _find(at, orientation)
    return "" if draft.startswith(NOT_FOUND) and not parse_query(f"moving {at.thing}").shape else draft


def _find(at: AtSound, orientation: Orientation) -> Steps[str]:
    done = yield on_each(orientation, LISTEN)
    heard = of_kinds(trusted(evidence_from(done, LISTEN)), kinds_named(orientation.question))
    if len(heard) != 1:
        often = f"is heard {len(heard)} times, and which is meant cannot be told" if heard else "was not told apart"
        return not_found(f"The sound that the question names {often}.")
    sound = heard[0]
    reach = AROUND if at.asked == "which" else MARGIN
    seen = yield from _seen(at.thing, sound.span, reach, sound.video, orientation)
    then = [thing for thing in seen if thing.span.overlaps(sound.span)]
    if not then:
        return ""
    colours = {name for thing in then for name in thing.content.split() if name in COLOURS}
    if len(then) > 1 and not (at.asked == "colour" and len(colours) == 1):
        return not_found(f"{len(then)} of them are seen then, and which is meant cannot be told.")
    if at.asked == "colour":
        return f"{quote(then[:1], orientation)}, while {quote([sound], orientation)}." if colours else ""
    return (yield from _place(at, then[0], seen, sound, orientation))


def _place(
    at: AtSound, thing: Evidence, seen: Sequence[Evidence], sound: Evidence, orientation: Orientation
) -> Steps[str]:
    """Which one a thing is in its row, which is looked at again by itself so that it is numbered by itself."""
    moves = _moves(thing)
    row = next(each for each in chains([other for other in seen if not moves or _moves(other)]) if thing in each)
    span = TimeSpan(start=row[0].span.start, end=row[-1].span.end)
    again = yield from _seen(at.thing, span, MARGIN, sound.video, orientation)
    row = [other for other in again if not moves or _moves(other)]
    then = [place for place, other in enumerate(row) if other.span.overlaps(sound.span)]
    if len(then) != 1 or at.number not in (0, len(row)) or then[0] >= len(ORDINALS) - 1:
        return not_found(f"{len(row)} of them come one by one, and which of them it is cannot be told for sure.")
    ordinal = next(name for name, place in ORDINALS.items() if place == then[0])
    return f"The {ordinal}: {quote([row[then[0]]], orientation)}, while {quote([sound], orientation)}."


def _seen(thing: str, span: TimeSpan, reach: float, video: str, orientation: Orientation) -> Steps[list[Evidence]]:
    """Each of the things that are seen so near to a span, in order of time."""
    length = orientation.videos[video]
    there = {"span": span.widened(reach, reach, length), "point": False, "videos": {video: length}}
    looked = yield on_each(orientation.model_copy(update=there), COUNTER, object_query=f"different {thing}")
    return sorted(trusted(evidence_from(looked, COUNTER)), key=lambda item: item.span.start)


def _moves(thing: Evidence) -> bool:
    return ", from " in thing.content


def _ordinals(question: str) -> int:
    """How many of "the first, the second or the third" a question names; 0 for fewer than two."""
    named = len(set(re.findall(rf"\b(?:{_NTH})\b", question.casefold())))
    return named if named > 1 else 0
