"""How well a piece of evidence answers a question: the words it holds, and the kind of thing that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longtake.agent.amounts import COINS
from longtake.agent.rules.denial import as_asked, denies
from longtake.agent.words import (
    NUMBER_WORDS,
    TELLING,
    content_stems,
    coverage,
    cue,
    figures,
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

_COUNTED = "|".join(NUMBER_WORDS) + "|hundred|thousand|million"
_NUMBER = rf"\d(?!\d*(?:st|nd|rd|th)\b)|\b(?:{_COUNTED})\b"
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_DAY = (
    rf"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:{_MONTH})\b|\b\d{{1,2}}[./]\d{{1,2}}\b"
    r"|\b(?:today|tomorrow|yesterday|tonight)\b"
)
_CLOCK = (
    rf"\b\d{{1,2}}(?::\d{{2}})?\s?(?:am|pm|o'clock)\b|\b\d{{1,2}}:\d{{2}}\b"
    rf"|\b(?:at|until|till|by|from) (?:{_COUNTED})\b|\b(?:noon|midnight)\b"
)
_COINS = r"(?:dollars?|euros?|pounds?|cents?|bucks?|francs?|usd|eur|gbp|chf)"
_MONEY = rf"[$€£¥]\s?\d|\d[\d.,]*\s?(?:[$€£¥]|{_COINS})|(?:{_COUNTED})\s+{_COINS}"
_DIGITS = r"(\d[\d,]*(?:\.\d+)?)"
_PRICE = re.compile(rf"([$€£¥])\s?{_DIGITS}|{_DIGITS}\s?([$€£¥]|{_COINS}\b)", re.IGNORECASE)
_SIGNS = {
    "dollar": "$",
    "buck": "$",
    "usd": "$",
    "euro": "€",
    "eur": "€",
    "pound": "£",
    "gbp": "£",
}  # of coins, by their names
# A year or a time of the day says when something is, not how much there is: "Honey harvest 2024", "14:20".
_NO_NUMBER = re.compile(
    r"(?<![:=$€£¥])(?<![:=] )\b(?:19|20)\d\d\b(?!\s*[A-Za-z%])|\b(?:in|since|until|by) (?:19|20)\d\d\b"
    r"|\b\d{1,2}:\d{2}\b"
)
NAME = r"(?<![.!?“\"]\s)(?<!^)\b[A-Z][a-z]+"
_COLOUR = r"\b(?:red|orange|yellow|green|blue|purple|violet|pink|brown|black|white|gr[ae]y|silver|gold(?:en)?|beige)\b"
_MEASURED = (
    r"how (?:many|much|big|often)|(?:what|which)(?: \w+)? (?:number|percentage|amount|share)|what (?:age|temperature)"
)
_AMOUNT = rf"(?:\d[\d.,]*|\b(?:{_COUNTED}))\s*-?\s*"
_LENGTH = r"(?:(?:kilo|centi|milli)?met(?:re|er)s?|km|cm|mm|m|miles?|feet|foot|ft|inch(?:es)?|yards?)\b"
_DURATION = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|s|min|h)\b"
_WEIGHT = r"(?:(?:kilo)?grams?|kilos?|kg|g|tons?|tonnes?|pounds?|lbs?|ounces?)\b"
_SPEED = rf"(?:km/h|kph|mph|m/s|knots?|{_LENGTH} (?:an?|per) (?:second|minute|hour)|times)"
_URL = r"\b(?:https?://|www\.)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:/\S*)?\b"
_EMAIL = r"[\w.+-]+@[\w-]+\.[\w.]+"
_YEAR = r"\b(?:1\d|20)\d{2}\b"
_PLACE = r"\b(?:at|in|near|behind|beside|under|inside|outside|room|hall|gate|floor|street|desk|office)\b"
_PHONE = r"(?<![:\d])\+?\d[\d ()./-]{5,}\d(?![:\d])|\b(?:tel|phone|call|ext|extension)\b\D{0,12}\d{2,}"
_CODE = r"\b[A-Z]{2,}[ -]?\d+\b|\b(?=\w*\d)(?=\w*[A-Za-z])\w{4,}\b|\b\d{4,}\b"


@dataclass(frozen=True, slots=True)
class AnswerType:
    """A kind of thing that is asked for: how the question names it, and what it looks like in the evidence.

    The words of the cue need not stand in the evidence: "how fast" is answered by "130 kilometres an hour".
    """

    cue: str
    looks: str
    folded: bool = True  # whether case is ignored
    telling: bool = False  # whether hardly anything looks like this by chance, so that it answers without other words
    amount: bool = False  # whether several of them add up


ANY_NUMBER = AnswerType(_MEASURED, _NUMBER, amount=True)
PRICE = AnswerType(
    r"prices?|priced|costs?|charges?|pays?|fees?|how much money|how much (?:is|are|was|were) (?:an?|one|the)"
    r"|how expensive|how dear|paid|for how much|how many (?:dollars|euros|pounds|francs|cents)",
    _MONEY,
    amount=True,
)
ANSWER_TYPES = (
    PRICE,
    AnswerType(r"(?:on )?(?:which|what)(?: (?:is|was) the)? (?:day|date|month)|weekday", _DAY),
    AnswerType(r"^when|what time", f"{_DAY}|{_CLOCK}|{_YEAR}"),
    AnswerType(r"(?:which|what) year", _YEAR),
    AnswerType(r"^where", _PLACE),
    AnswerType(r"web ?(?:site|address|page)|url|link", _URL, telling=True),
    AnswerType(r"e-?mail(?: address)?", _EMAIL, telling=True),
    AnswerType(r"(?:tele)?phone(?: number)?", _PHONE, telling=True),
    AnswerType(r"time ?code", r"\d{1,2}:\d{2}:\d{2}[:;.]\d{2}", telling=True),
    AnswerType(r"code", _CODE, folded=False, telling=True),
    AnswerType(r"(?:what|which) colou?rs?", _COLOUR),
    AnswerType(r"who|whose|by whom|what (?:is|was) \w+ name", NAME, folded=False),
    AnswerType(r"how fast|what speed", _AMOUNT + _SPEED),
    AnswerType(r"how (?:far|high|tall|deep|wide)|what (?:distance|height|depth|width)", _AMOUNT + _LENGTH, amount=True),
    AnswerType(r"how heavy|what weight|how much does \w+ weigh", _AMOUNT + _WEIGHT, amount=True),
    AnswerType(r"how long", rf"{_AMOUNT}(?:{_DURATION}|{_LENGTH})", amount=True),
    AnswerType(r"how old", _AMOUNT),
    ANY_NUMBER,
    AnswerType(r"number", r"\d"),
)
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


def answer_type(question: str) -> AnswerType | None:
    """The kind of thing that a question asks for; None when any statement may answer."""
    asked = question.casefold()
    return next((kind for kind in ANSWER_TYPES if re.search(rf"\b(?:{kind.cue})\b", asked.strip())), None)


def holds(kind: AnswerType | None, text: str) -> bool:
    """Whether a text holds that kind of thing."""
    if kind is None:
        return True
    plain = figures(_NO_NUMBER.sub(" ", text) if kind.looks == _NUMBER else text)
    return bool(re.search(kind.looks, plain, re.IGNORECASE if kind.folded else 0))


def prices(text: str) -> list[tuple[str, str]]:
    """The prices of a text, in order: each its currency and its number in digits."""
    found = []
    for sign, after, before, coin in _PRICE.findall(figures(text, above=0)):
        named = stem((sign or coin).casefold())
        found.append((COINS.get(named, named), (after or before).replace(",", "")))
    return found


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
