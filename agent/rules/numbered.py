"""Steps that a slide numbers: all of them, one by its place, or the one that follows another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import ORDINALS, Orientation
from longtake.agent.rows import CELLS
from longtake.agent.rules.moves import not_found, quote
from longtake.agent.rules.outline import Slide, read_outline
from longtake.agent.rules.steps import Steps
from longtake.agent.rules.time.places import veiled
from longtake.agent.words import NUMBER_WORDS, content_stems, coverage, cue
from longtake.memory.records import Evidence

_NTH = re.compile(rf"\b({'|'.join(ORDINALS)}) (?:step|stage)\b", re.IGNORECASE)
# Of "the stage" alone a speaker may stand on one.
_STEPS = re.compile(rf"\b(?:steps?|stages|instructions?|procedures?)\b|{_NTH.pattern}", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:what|which|list|name|give|tell|describe|explain|put|arrange|read)\b|^\W*how (?!many|much|often|long|far)",
    re.IGNORECASE,
)
_HOW_TO = re.compile(
    r"^\W*how (?:do|does|can|could|should|must|would) (?:you|one|i|we|they|somebody|people)\b|\bhow to\b"
    r"|\b(?:do|done|order)\b[^?]*\bto\b|\bin (?:what|which) order\b",
    re.IGNORECASE,
)
_OTHERWISE = cue("who, why, when, heard, how many, how much, how long, how often, said, spoken, speaker, mentioned")
_SEEN = cue("shown, seen, picture, visible")
_BEFORE = re.compile(r"\b(?:before|preced\w+|previous|above)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|follow\w*|next|once|succeed\w*|below|now|then|finished|completed)\b", re.IGNORECASE)
_BEYOND = re.compile(
    r"\bafter (?:all |the |these |those |its )*(?:[\w-]+ )?(?:steps?|stages?|that|this)\b", re.IGNORECASE
)
_FROM_END = re.compile(
    r"\blast but\b|\bbut one\b|\bpenultimate\b"
    rf"|\b(?:next|{'|'.join(ORDINALS)})[ -](?:(?:to|from)[ -](?:the )?)?last\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\W*(\d{1,2})\s?[.):]\s*(?=\S)")
# What a question says of steps beside what they are steps of.
_ASIDE = cue(
    f"{', '.join((*ORDINALS, *NUMBER_WORDS))}, step, steps, stage, stages, instruction, instructions, procedure, "
    "procedures, order, right, correct, proper, properly, correctly, sequence, list, lists, listed, slide, slides, "
    "carry, carried, needed, necessary, required, need, needs, another, single, individual, follow, followed, "
    "following, done, shown, written, screen, read, explain, put, arrange, under, headed, titled, show, shows, "
    "describe, described"
)


def asks_steps(orientation: Orientation) -> bool:
    """Whether a question may ask for steps that a slide numbers, or for the one beside a step that it quotes."""
    hidden = veiled(orientation.question)
    steps = _STEPS.search(hidden)
    if not _ASKS.search(hidden) or _OTHERWISE.search(hidden) or (_SEEN.search(hidden) and not steps):
        return False
    if _FROM_END.search(hidden):
        return False
    if not orientation.quoted and (_BEFORE.search(hidden) or _BEYOND.search(hidden)):
        return False  # what comes before the steps, or after them all, is none of them
    beside = orientation.quoted and (_BEFORE.search(hidden) or _AFTER.search(hidden))
    return bool(beside or steps or _HOW_TO.search(hidden))


def find_steps(orientation: Orientation) -> Steps[str]:
    """The numbered lines of the one slide that is meant, or those of them that are asked for; empty without a slide."""
    slides = yield from read_outline(orientation)
    hidden = veiled(orientation.question)
    if orientation.quoted and (_BEFORE.search(hidden) or _AFTER.search(hidden)):
        beside = _beside_quoted(orientation, slides)
        if beside is not None:
            return quote(beside, orientation) if beside else not_found("No step is numbered there.")
    steps = _of_title(orientation, slides)
    nth = _NTH.search(orientation.question)
    if steps and nth:
        steps = steps[ORDINALS[nth[1].casefold()] :][:1]
        return quote(steps, orientation) if steps else not_found("So many steps are not numbered there.")
    return quote(steps, orientation)


def _beside_quoted(orientation: Orientation, slides: Sequence[Slide]) -> list[Evidence] | None:
    """The step that follows, or precedes, the one quoted; empty where there is none; None where none is quoted."""
    for numbered in map(_numbered, slides):
        place = next((number for number, item in numbered.items() if _is_step(item, orientation.quoted[0])), None)
        if place is not None:
            wanted = place - 1 if _BEFORE.search(veiled(orientation.question)) else place + 1
            return [numbered[wanted]] if wanted in numbered else []
    return None


def _of_title(orientation: Orientation, slides: Sequence[Slide]) -> list[Evidence]:
    """The steps of the one slide whose title holds the question's words; unnumbered lines where steps are asked for."""
    wanted = content_stems(_ASIDE.sub(" ", orientation.question))
    asked = bool(_STEPS.search(orientation.question))
    meant = [slide for slide in slides if coverage(wanted, slide.title.content) == 1.0 or (asked and not wanted)]
    lists = [found for slide in meant if len(found := _numbered(slide)) > 1]
    if not lists and asked and len(meant) == 1:
        lines = [line for line in meant[0].lines if CELLS not in line.content]
        return lines if len(lines) == len(meant[0].lines) > 1 else []
    return [lists[0][number] for number in sorted(lists[0])] if len(lists) == 1 else []


def _numbered(slide: Slide) -> dict[int, Evidence]:
    """The numbered lines of a slide, by their numbers."""
    return {int(match[1]): item for item in slide.lines if (match := _NUMBERED.match(item.content))}


def _is_step(item: Evidence, quoted: str) -> bool:
    return quoted.casefold().strip(" .") in item.content.casefold()
