"""Steps that a slide numbers: all of them, one by its place, or the one that follows another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import ORDINALS, Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.matching import key_terms
from longtake.agent.rules.moves import Done, Move, called, evidence_from, not_found, on_each, quote, trusted
from longtake.agent.rules.slides import slides_of, title_of
from longtake.agent.words import coverage
from longtake.memory.records import Evidence

READER = "extract_scene_text"
_STEPS = re.compile(r"\bsteps?\b", re.IGNORECASE)
_ASKS = re.compile(
    r"^\W*(?:(?:what|which)\b|in (?:what|which) order\b|(?:please )?(?:list|name|give|tell)\b)", re.IGNORECASE
)
_FOLLOWS = re.compile(r"\b(?P<relation>after|before|follows?|precedes?)\b", re.IGNORECASE)
_NTH = re.compile(rf"\b({'|'.join(ORDINALS)}) step\b", re.IGNORECASE)
_NUMBERED = re.compile(r"^\W*(\d{1,2})\s?[.):]\s*(?=\S)")


def asks_steps(orientation: Orientation) -> bool:
    """Whether a question asks for steps, which a slide may number."""
    told_else = {"speech", "audio"} & set(orientation.modalities)
    return bool(_ASKS.match(orientation.question) and _STEPS.search(orientation.question)) and not told_else


def read_steps(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The numbered lines of the one slide that is meant; without such a slide, what is said or written of it."""
    if not called(done, READER):
        return on_each(orientation, READER)
    meant = _meant(orientation, trusted(evidence_from(done, READER)))
    if not meant:
        return find_fact(orientation, done)
    asked = _FOLLOWS.search(orientation.question)
    if orientation.quoted and asked:
        place = next(number for number, item in meant.items() if _holds(item, orientation.quoted[0]))
        wanted = place - 1 if asked["relation"].casefold().startswith(("before", "prece")) else place + 1
        return quote([meant[wanted]], orientation) if wanted in meant else not_found("No step is numbered there.")
    nth = _NTH.search(orientation.question)
    numbers = sorted(meant)
    if nth:
        place = ORDINALS[nth[1].casefold()]
        numbers = numbers[place:][:1]
    if not numbers:
        return not_found("So many steps are not numbered there.")
    return quote([meant[number] for number in numbers], orientation)


def _meant(orientation: Orientation, texts: Sequence[Evidence]) -> dict[int, Evidence]:
    """The numbered lines, by their numbers, of the one slide that holds the quoted line or the question's words."""
    lists = [(slide, found) for slide in slides_of(texts) if len(found := _numbered(slide)) > 1]
    if orientation.quoted:
        lists = [each for each in lists if any(_holds(line, orientation.quoted[0]) for line in each[1].values())]
    elif wanted := key_terms(_STEPS.sub(" ", _NTH.sub(" ", orientation.question))):
        lists = [each for each in lists if coverage(wanted, title_of(each[0]).content) == 1.0]
    return lists[0][1] if len(lists) == 1 else {}


def _numbered(slide: Sequence[Evidence]) -> dict[int, Evidence]:
    return {int(match[1]): item for item in slide if (match := _NUMBERED.match(item.content))}


def _holds(item: Evidence, quoted: str) -> bool:
    return quoted.casefold() in item.content.casefold()
