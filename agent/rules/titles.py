"""The titles of a video's slides in order: the first three, the last two, all of them."""

from __future__ import annotations

import re

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import cite, not_found
from longtake.agent.rules.outline import read_outline
from longtake.agent.rules.steps import Steps
from longtake.agent.words import NEGATION, NUMBER_WORDS, content_stems, cue, stems

MOST = 20
_TITLES = re.compile(
    r"\b(?:(?:titles|headings|headlines)(?! of the (?!(?:[\w-]+ ){0,4}slides))|slides)\b", re.IGNORECASE
)
_NAMES = cue("titles, headings, headlines")
_ASKS = cue("which, what, name, list, give, tell, say, order, enumerate, state")
_COUNTED = cue("how many, how long, how often, when, how much")
_ON_THEM = re.compile(r"\b(?:on|in|from)\s+(?:the |these |those |all )?(?:[\w-]+ ){0,3}slides\b", re.IGNORECASE)
_SKIPS = cue(
    "after, follow*, once, leaving, aside, apart, without, except, excluding, counting, beyond, past, behind, besides"
)
_OPENING = cue(
    "opening, introduction, intro, title slide, title page, first slide, opening slide, cover, cover slide, start"
)
_NUMBER = "|".join(NUMBER_WORDS)
_HOW_MANY = re.compile(
    rf"\b(?:first|last|next)\s+(?P<after>{_NUMBER}|\d+)\b"
    rf"|\b(?P<before>{_NUMBER}|\d+)\s+(?:[\w-]+\s+){{0,2}}?(?:titles|headings|headlines|slides)\b",
    re.IGNORECASE,
)
_BEYOND = re.compile(
    r"\b(?:after|between|until|follows?) (?:the |these )?(?:first|last) (?!slide\b)|\b(?:before|preced\w+)\b",
    re.IGNORECASE,
)
_LAST = cue("last")
_WITHOUT = re.compile(rf"\b(?:without|not counting)(?: counting)? (?:the )?{_OPENING.pattern}", re.IGNORECASE)
_BIDS = re.compile(r"^\W*(?:please )?(?:list|enumerate|state|put|arrange|sort)\b", re.IGNORECASE)
_FROM_END = re.compile(rf"\blast (?:{_NUMBER}|\d+)\b|\b(?:{_NUMBER}|\d+) last\b", re.IGNORECASE)
# All the content that a question about titles in order may have: any other word asks for something else.
_OWN = stems(
    "title titles titled heading headings headline headlines slide slides opening introduction intro cover page "
    "first last next order ordered sequence right directly immediately straight come comes came appear appears "
    "appeared follow follows followed following begin begins began beginning start starts started leaving left apart "
    "except without shown show shows displayed seen see presented over past behind beyond correct bear carry read "
    "reads them video talk presentation lecture successive chronological aside excluding counting besides gone away "
    "call themselves top put arrange"
) | set(NUMBER_WORDS.values())


def asks_titles(orientation: Orientation) -> bool:
    """Whether a question asks for nothing but the titles of several slides in their order."""
    question = orientation.question
    if not _TITLES.search(question) or not _ASKS.search(question) or orientation.quoted or orientation.span:
        return False
    if (
        _COUNTED.search(question)
        or _BEYOND.search(question)
        or NEGATION.search(_WITHOUT.sub(" ", question))
        or (_LAST.search(question) and not _FROM_END.search(question))
        or (_ON_THEM.search(question) and not _NAMES.search(question))
    ):
        return False
    return not set(content_stems(_BIDS.sub(" ", question))) - _OWN


def list_titles(orientation: Orientation) -> Steps[str]:
    """The titles that are asked for, each with its moment; an abstention where there are not so many."""
    slides = yield from read_outline(orientation)
    question = orientation.question
    if _SKIPS.search(question) and _OPENING.search(question):
        slides = slides[1:]
    match = _HOW_MANY.search(question)
    number = _number(match["after"] or match["before"]) if match else len(slides)
    if not slides or number > len(slides) or number > MOST:
        return not_found(
            f"{len(slides)} slides with a title were found there, which is not what the question asks for."
        )
    meant = slides[-number:] if _FROM_END.search(question) else slides[:number]
    told = (f"“{slide.title.content}” {cite(slide.title, orientation)}" for slide in meant)
    return f"First {' Then '.join(told)}" if number > 1 else next(iter(told))


def _number(word: str) -> int:
    return int(NUMBER_WORDS.get(word.casefold(), word))
