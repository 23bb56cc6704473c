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

_STEPS = re.compile(r"\b(?:steps?|stages?|instructions?|procedures?)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:what|which|list|name|give|tell|describe)\b|^\W*how (?!many|much|often|long|far)", re.IGNORECASE
)
_HOW_TO = re.compile(
    r"^\W*(?:how (?:do|does|can|should|must|would|to|is|are)|what (?:do|does|has|have|must|should|needs?|is to|are)|"
    r"in (?:what|which) order)\b",
    re.IGNORECASE,
)
_OTHERWISE = cue("who, why, when, how many, how much, how long, how often, said, spoken, speaker, mentioned")
_BEFORE = re.compile(r"\b(?:before|preced\w+|previous)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|follow\w*|next|once|succeed\w*)\b", re.IGNORECASE)
_BEYOND = re.compile(
    r"\bafter (?:all |the |these |those |its )*(?:[\w-]+ )?(?:steps?|stages?|that|this)\b", re.IGNORECASE
)
_IS_DONE = cue("step, steps, stage, do, does, done, come, comes, next")
_NTH = re.compile(rf"\b({'|'.join(ORDINALS)}) (?:step|stage)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"^\W*(\d{1,2})\s?[.):]\s*(?=\S)")
# What a question says of steps beside what they are steps of.
_ASIDE = cue(
    f"step, steps, stage, stages, instruction, instructions, procedure, procedures, order, right, correct, proper, "
    f"sequence, list, lists, listed, lists, slide, slides, carry, carried, carried out, needed, necessary, required, "
    f"need, needs, another, first, last, single, individual, one by one, follow, followed, following, done, shown, "
    f"written, screen, show, shows, describe, described, properly, correctly, {', '.join(NUMBER_WORDS)}"
)


def asks_steps(orientation: Orientation) -> bool:
    """Whether a question may ask for steps that a slide numbers, or for the one beside a step that it quotes."""
    hidden = veiled(orientation.question)
    if not _ASKS.search(hidden) or _OTHERWISE.search(hidden):
        return False
    if not orientation.quoted and (_BEFORE.search(hidden) or _BEYOND.search(hidden)):
        return False  # what comes before the steps, or after them all, is none of them
    beside = orientation.quoted and (_BEFORE.search(hidden) or _AFTER.search(hidden)) and _IS_DONE.search(hidden)
    return bool(beside or _STEPS.search(hidden) or _HOW_TO.match(hidden))


def find_steps(orientation: Orientation) -> Steps[str]:
    """The numbered lines of the one slide that is meant, or those of them that are asked for; empty without a slide."""
    slides = yield from read_outline(orientation)
    steps = _beside_quoted(orientation, slides) if orientation.quoted else None
    if steps is not None:
        return quote(steps, orientation) if steps else not_found("No step is numbered there.")
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
