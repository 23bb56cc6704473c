"""Sounds one after the other: what is heard before the bangs, after the music or before a black picture, in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import evidence_from, not_found, on_each, quote, trusted
from longtake.agent.rules.sounds import NAMEABLE, OTHER, TOOL, kinds_named, of_kinds, without_kinds
from longtake.agent.rules.steps import Steps
from longtake.agent.rules.time.places import empty_of
from longtake.agent.words import NUMBER_WORDS, content_stems, cue, stems
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

APART = 5.0  # seconds of something else after which sounds no longer follow each other
SAME = 1.5  # seconds within which the same sound goes on
FIT = 0.3  # seconds by which sounds that follow each other may seem to overlap
_SOUNDS = re.compile(
    r"\b(?:sounds?|noises?|what (?:is|was|can be|could be) (?:to be )?heard|what (?:do|does|did|can|could) \w+ hear)\b",
    re.IGNORECASE,
)
_IN_ORDER = cue(
    "in order, in the right order, in their order, in the order, in which order, in what order, the order of, "
    "in sequence, in which sequence, in what sequence, the sequence of, one after another, one after the other, "
    "one by one, one at a time, in turn, in succession, successively"
)
_SEVERAL = re.compile(rf"\b(?P<number>{'|'.join(NUMBER_WORDS)}|\d+) (?:\w+ )?(?:sounds|noises)\b", re.IGNORECASE)
_NEXT = re.compile(
    r"\b(?:which|what) (?:other |next )?(?:sound|noise)\b"
    r"|\bheard? (?:right|just|next|directly|immediately|straight|shortly)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?P<relation>before|ahead of|prior to|preced\w+|leads? up to|leading up to|after|following|follows?)\s+"
    r"(?:the |an? |all )?(?P<thing>[\w -]+)",
    re.IGNORECASE,
)
_AFTER = ("after", "follow", "follows", "following")
_EMPTY = re.compile(
    r"\b(?P<colour>black|white|blank|empty)(?:\W+\w+)? (?:screen|picture|frame|image)\b"
    r"|\b(?:screen|picture|frame|image) (?:is|was|stays|remains|goes|turns) (?:all |completely )?"
    r"(?P<other>black|white|blank|empty)\b",
    re.IGNORECASE,
)
# All that such a question says beside the kinds of sound; any other word narrows what it asks for.
_OWN = stems(
    "sound sounds noise noises hear heard hears hearing audible listen order sequence come comes came occur occurs "
    "precede precedes preceded preceding follow follows followed following lead leads led leading ahead prior next "
    "right directly immediately straight shortly just first last one single individual different other turn black "
    "white blank empty screen picture frame image stays remains goes turns all completely list please"
) | set(NUMBER_WORDS.values())
_ELSEWHERE = re.compile(r"\b(?:while|when|during|between|until|since)\b", re.IGNORECASE)


class Row(NamedTuple):
    """A row of sounds: on which side of which sound it lies, the colour of its empty picture, how many there are."""

    relation: str
    beside: tuple[str, ...]
    colour: str
    number: int


def row_asked(orientation: Orientation) -> Row | None:
    """The row of sounds that a question wants; None where it wants none, or names its place by something else."""
    if orientation.quoted or {"speech", "scene_text"} & set(orientation.modalities):
        return None
    question = _IN_ORDER.sub(" ", orientation.question)
    beside, empty, several = _BESIDE.search(question), _EMPTY.search(question), _SEVERAL.search(question)
    kinds = tuple(kinds_named(beside["thing"])) if beside else ()
    next_one = bool(kinds and _NEXT.search(question)) and question == orientation.question
    ordered = next_one or question != orientation.question or (several and (kinds or empty))
    if not ordered or not _SOUNDS.search(question) or OTHER.search(question) or set(kinds_named(question)) - set(kinds):
        return None
    if (beside and not kinds) or (not empty and _ELSEWHERE.search(question)):
        return None
    if set(content_stems(without_kinds(question))) - _OWN:
        return None
    number = "1" if next_one else several["number"].casefold() if several else "0"
    relation = "" if beside is None else "after" if beside["relation"].casefold() in _AFTER else "before"
    colour = (empty["colour"] or empty["other"]).casefold() if empty else ""
    return Row(relation, kinds, colour, int(NUMBER_WORDS.get(number, number)))


def find_row(row: Row, orientation: Orientation) -> Steps[str]:
    """Name the sounds in order; abstain where there are several such rows, or none of so many sounds."""
    done = yield on_each(orientation, TOOL)
    heard = trusted(evidence_from(done, TOOL))
    if len({item.video for item in heard}) > 1:
        return not_found("There are sounds in several videos, and which is meant cannot be told.")
    if row.colour:
        spans = [place.span for place in empty_of(row.colour, orientation.blank)]
        heard = [item for item in heard if any(item.span.overlaps(span) for span in spans)]
    rows = _rows_beside(row, heard)
    if len(rows) != 1:
        return not_found("Several rows of sounds could be meant." if rows else "No such row of sounds was told apart.")
    return f"{', then '.join(quote([item], orientation) for item in rows[0])}."


def _rows_beside(row: Row, heard: Sequence[Evidence]) -> list[list[Evidence]]:
    """The rows of sounds beside each place of the sound that is named, else those that there are."""
    # A voice among several sounds is not one of them; it may well be the one that comes next.
    named = [
        kind for kind in (*NAMEABLE, "impulse") if (kind != "speech" or row.number == 1) and kind not in row.beside
    ]
    sounds = _once_each(of_kinds(heard, named))
    if not row.relation:
        rows = chains(sounds) if row.number else [sounds] if sounds else []
        return [each for each in rows if row.number in (0, len(each))]
    found = []
    for group in chains(of_kinds(heard, row.beside)):
        start, end = group[0].span.start, group[-1].span.end
        for chain in chains(sounds):
            before = [item for item in chain if item.span.end <= start + FIT]
            after = [item for item in chain if item.span.start >= end - FIT]
            if row.relation == "before" and before and start - before[-1].span.end <= APART:
                found.append(before[-row.number :])
            if row.relation == "after" and after and after[0].span.start - end <= APART:
                found.append(after[: row.number or None])
    return [each for each in found if len(each) >= row.number]


def chains(sounds: Sequence[Evidence]) -> list[list[Evidence]]:
    """What follows each other, as sounds do, apart from what does so only after a while."""
    chains = [list(sounds[:1])] if sounds else []
    for before, after in pairwise(sounds):
        if after.span.start - before.span.end > APART:
            chains.append([])
        chains[-1].append(after)
    return chains


def _once_each(sounds: Sequence[Evidence]) -> list[Evidence]:
    """The sounds, of which one that is broken off for a moment counts once."""
    whole: list[Evidence] = []
    for sound in sounds:
        if whole and sound.content == whole[-1].content and sound.span.start - whole[-1].span.end <= SAME:
            span = TimeSpan(start=whole[-1].span.start, end=max(sound.span.end, whole[-1].span.end))
            whole[-1] = whole[-1].model_copy(update={"span": span})
        else:
            whole.append(sound)
    return whole
