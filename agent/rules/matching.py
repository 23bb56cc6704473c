"""How well a piece of evidence answers a question: the words it holds, and the kind of thing that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.amounts import without_amounts
from longtake.agent.orientation import ORDINALS
from longtake.agent.rows import CELLS
from longtake.agent.rules.answer_types import ANY_NUMBER, PRICE, answer_type, holds, without_prices
from longtake.agent.rules.denial import as_asked, denies
from longtake.agent.statements import dates
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
# Of a question that asks for what is said or written, a question that stands there may be the answer.
_OF_TELLING = cue(
    "say*, said, ask*, question*, tell*, told, mention*, talk*, speak*, spoken, read, written, text, title*, joke*, "
    "sing*, sung, line*, word*, sentence*, quote*, slide*, screen, shown"
)
_QUESTION = re.compile(r"(?:[^\s.!?]*[a-z][^\s.!?]*\s+){2}[^.!?]*\?", re.IGNORECASE)
_PRICED = re.compile(rf"[$€£¥]|\d|\b(?:{PRICE.cue}|sells?|sold)\b", re.IGNORECASE)
_QUALIFIES = re.compile(r"[(,;:]|\b(?:of|with|for|from|in|per)\b", re.IGNORECASE)
_HOW_MANY = cue("how many, how often")
# "The second rule" is another than the first; of lines, pictures and times "first" says where they stand.
_NUMBERED = re.compile(
    rf"\bthe ({'|'.join(ORDINALS)}) (?!\d|(?:time|thing|word|line|sentence|name|text|slide|page|screen|shot|scene"
    r"|picture|frame|part|half|second|minute|hour)s?\b)",
    re.IGNORECASE,
)
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
    ranks = {f"{day}{ending}" for day, _ in dates(question) for ending in ("st", "nd", "rd", "th")}
    kept = (term for term in content_stems(plain) if term not in aside | ranks)
    return [term for term in kept if not term.isdigit() or len(term) == 4]


def must_hold(question: str) -> set[str]:
    """Stems without which nothing answers: names, counted things ("homework three", "the third") and superlatives."""
    counted = [word for word in words(question) if word in NUMBER_WORDS and word != "one"]
    ranked = [*_NUMBERED.findall(question), *SUPERLATIVE.findall(question)]
    told = {stem(word) for part in (*counted, *ranked) for word in words(part)}
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
    told = item.content if _OF_TELLING.search(question) else _QUESTION.sub(" ", item.content)
    text = as_asked(question, told)
    if kind is PRICE and item.modality == "scene_text" and _is_of_another(wanted, text):
        return 0.0
    new = text if kind and kind.telling else _beyond(question, text)
    if not holds(kind, without_prices(new) if kind is ANY_NUMBER and _HOW_MANY.search(question) else new) or (
        _NOW.search(question) and _THEN.search(text)
    ):
        return 0.0
    days = dates(question)
    if not wanted:
        return BY_KIND if (kind and kind.telling) or (days and days <= dates(text)) else 0.0
    context = " ".join([text, *(other.content for other in found if beside(item, other))])
    points_back = item.modality == "speech" and bool(_POINTS_BACK.match(text))
    carried = context if points_back or item.modality == "scene_text" else text
    if not must_hold(question) <= stems(carried) or not _is_dated(days, text, carried):
        return 0.0
    own, joined = coverage(wanted, text), coverage(wanted, context)
    if denies(question) or (kind is PRICE and CELLS in text):
        return own  # what stands beside it need not be denied, or is the price of something else
    alone = BY_KIND if joined == 1.0 and (_is_labelled(text, wanted) or (kind and points_back)) else 0.0
    return max(own, 0.6 * own + 0.4 * joined, alone)


def _is_dated(asked: frozenset[tuple[str, str]], text: str, carried: str) -> bool:
    """Whether what a text says is of these days: by its own date, else by one that stands beside it."""
    return asked <= (dates(text) or dates(carried))


def _is_of_another(wanted: Sequence[str], row: str) -> bool:
    """Whether a row with a price is that of another thing: of a "telescope cover", where a telescope is asked for.

    The last word of a thing's name says what it is.
    """
    cells = row.split(CELLS) if CELLS in row else [_PRICED.split(row)[0]]
    name = max(cells, key=lambda cell: len(stems(cell) & set(wanted)))
    parts = (content_stems(without_amounts(part)) for part in _QUALIFIES.split(name))
    heads = {part[-1] for part in parts if part}
    return bool(stems(name) & set(wanted)) and not heads & set(wanted)


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
