"""How well a piece of evidence answers a question: the words it holds, and the kind of thing that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.rules.answer_types import PRICE, answer_type, holds
from longtake.agent.rules.denial import as_asked, denies
from longtake.agent.words import (
    NUMBER_WORDS,
    TELLING,
    content_stems,
    coverage,
    cue,
    fold,
    stem,
    stems,
    words,
)
from longtake.memory.records import Evidence

BY_KIND = 0.7  # the score of what only holds the right kind of thing, where nothing speaks against it
ENOUGH = 0.69  # the least score that answers
MOST_LABEL = 3  # words of a label
NEAR = 3.0  # seconds between lines of speech that speak of the same thing

# Words about the telling, not about the thing told, as questions use them.
_ASIDE = TELLING | stems(
    "talk talks asks ask singer song sings sung lyrics joke jokes quote answer question happen happens place given "
    "gives person need needed called number first last name names lecturer teacher professor host author"
)
_OF_SALE = stems("sold sell sells selling buy bought list listed offered next beside dollar dollars euros pounds")
_NOW = cue("now, today, currently, nowadays, at present")
DEAREST = "dearest, costliest, priciest, most expensive, most costly"
CHEAPEST = "cheapest, least expensive, least costly"
SUPERLATIVE = cue(
    f"{DEAREST}, {CHEAPEST}, most, least, best, worst, highest, lowest, largest, smallest, biggest, longest, shortest, "
    "fastest, slowest, oldest, newest, youngest, latest, earliest, heaviest, deepest, tallest, nearest"
)
_POINTS_BACK = re.compile(r"\W*(?:[\w']+\W+){0,2}(?:it|there|that|this|they|he|she|then|here)\b", re.IGNORECASE)
_THEN = cue("last year, last month, last week, used to, formerly, previously, back then, in the past, yesterday")


def key_terms(question: str) -> list[str]:
    """Stems that evidence must hold: the question's content words without those about the telling and the type."""
    kind = answer_type(question)
    plain = re.sub(rf"\b(?:{kind.cue})\b", " ", question.casefold()) if kind else question
    aside = _ASIDE | _OF_SALE if kind is PRICE else _ASIDE
    return [term for term in content_stems(plain) if term not in aside and (not term.isdigit() or len(term) == 4)]


def must_hold(question: str) -> set[str]:
    """Stems without which nothing answers: names, counted things ("homework three") and superlatives of a question."""
    counted = [word for word in words(question) if word in NUMBER_WORDS and word != "one"]
    told = {stem(word) for part in (*counted, *SUPERLATIVE.findall(question)) for word in words(part)}
    return told | names_in(question)


def names_in(question: str) -> set[str]:
    """Stems of the names in a question: capitalised words that begin no sentence."""
    found = re.findall(r"(?<!^)(?<![.?!] )\b[A-Z][\w'-]+", question.strip())
    return {stem(word) for part in found for word in words(part)}


def score(question: str, item: Evidence, found: Sequence[Evidence]) -> float:
    """How well a piece of evidence answers, 0 to 1.

    Its own words count most; what stands or is said right beside it counts too. A line of speech that points back may
    carry an answer of the right kind alone: "Come to my office." "I am there every Thursday." What a question denies is
    answered only by what denies it in the same way.
    """
    wanted, kind = key_terms(question), answer_type(question)
    text = as_asked(question, item.content)
    if not holds(kind, text if kind and kind.telling else _beyond(question, text)) or (
        _NOW.search(question) and _THEN.search(text)
    ):
        return 0.0
    if not wanted:
        return BY_KIND if kind and kind.telling else 0.0
    context = " ".join([text, *(other.content for other in found if beside(item, other))])
    points_back = item.modality == "speech" and bool(_POINTS_BACK.match(text))
    carried = context if points_back or item.modality == "scene_text" else text
    if not must_hold(question) <= stems(carried):
        return 0.0
    own, joined = coverage(wanted, text), coverage(wanted, context)
    if denies(question):
        return own  # what stands beside it need not be denied
    alone = BY_KIND if joined == 1.0 and (_is_labelled(text, wanted) or (kind and points_back)) else 0.0
    return max(own, 0.6 * own + 0.4 * joined, alone)


def _is_labelled(text: str, wanted: Sequence[str]) -> bool:
    """Whether a text tells, behind its label, what a question asks for: "Cause: broken cable"."""
    label, colon, told = text.partition(":")
    return bool(colon and told.strip()) and 0 < len(stems(label)) <= MOST_LABEL and stems(label) <= set(wanted)


def _beyond(question: str, text: str) -> str:
    """A text without the words of the question: what it asks for is not what it says itself."""
    asked = set(words(question))
    return re.sub(r"[\w$€£¥]+", lambda match: match[0] if fold(match[0]) not in asked else "", text)


def beside(one: Evidence, other: Evidence) -> bool:
    """Whether two pieces of evidence belong to one moment: the same picture, or neighbouring lines of speech."""
    if one.video != other.video or one.modality != other.modality:
        return False
    if one.modality == "scene_text":
        return one.span.overlaps(other.span)
    return max(one.span.start, other.span.start) - min(one.span.end, other.span.end) <= NEAR


def without_repeats(items: Sequence[Evidence]) -> list[Evidence]:
    """In order of time, without what says less than another piece at about the same moment."""
    kept: list[Evidence] = []
    for item in sorted(items, key=lambda each: (-len(each.content), each.span.start)):
        same = any(item.content == other.content and item.video == other.video for other in kept)
        if not same and not any(item.content in other.content and _close(item, other) for other in kept):
            kept.append(item)
    return sorted(kept, key=lambda item: (item.span.start, item.box[1] if item.box else 0.0))


def _close(one: Evidence, other: Evidence) -> bool:
    gap = max(one.span.start, other.span.start) - min(one.span.end, other.span.end)
    return one.video == other.video and gap <= 1.0
