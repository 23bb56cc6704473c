"""The kinds of things that questions ask for, a price, a place or a date: how asked, and what they look like."""

from __future__ import annotations

import re
from dataclasses import dataclass

from longtake.agent.amounts import COINS
from longtake.agent.words import NUMBER_WORDS, figures, stem

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
_OWN_LENGTH = rf"{_LENGTH}(?!\s+(?:away|apart|off|from|to|behind|before|after)\b)"  # not how far something else is
_DURATION = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|s|min|h)\b"
_WEIGHT = r"(?:(?:kilo)?grams?|kilos?|kg|g|tons?|tonnes?|pounds?|lbs?|ounces?)\b"
_SPEED = rf"(?:km/h|kph|mph|m/s|knots?|{_LENGTH} (?:an?|per) (?:second|minute|hour)|times)"
_URL = r"\b(?:https?://|www\.)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:/\S*)?\b"
_EMAIL = r"[\w.+-]+@[\w-]+\.[\w.]+"
_YEAR = r"\b(?:1\d|20)\d{2}\b"
_PLACE = r"\b(?:at|in|near|behind|beside|under|inside|outside|room|hall|gate|floor|street|desk|office)\b"
_PHONE = r"(?<![:\d])\+?\d[\d ()./-]{5,}\d(?![:\d])|\b(?:tel|phone|call|ext|extension)\b\D{0,12}\d{2,}"
_NAMED = r"\b(?:called|named|known as|[Nn]ames?|titled)\b|^\W*\w+:\s*[A-Z]|^(?:[A-Z][\w'’-]+ ?){2,}(?:[,(]|$)"
_SOMEBODY = r"(?:man|woman|person|boy|girl|guy|lady|gentleman|one|somebody|someone|people)"
_STEP = rf"(?:\bby\s+(?:\w+\s+)?|[+−]\s?)[$€£¥]?\s?(?:\d|(?:{_COUNTED})\b)|\d\s?(?:%|per ?cent)"
_BECAUSE = (
    r"\b(?:because|since|due to|owing to|thanks to|so that|in order (?:to|that)|that is why|reasons?|caus\w+|result of"
    r"|to (?:allow|avoid|help|keep|let|make sure|prevent|protect|save|stop))\b"
)
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
    AnswerType(r"by how (?:much|many)", _STEP),
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
    AnswerType(rf"what (?:is|was) the names? of (?:an?|the|this|that) (?!{_SOMEBODY}\b)", _NAMED, folded=False),
    AnswerType(r"^why|how come", _BECAUSE),
    AnswerType(r"who|whose|by whom|what (?:is|was) \w+ name", NAME, folded=False),
    AnswerType(r"how fast|what speed", _AMOUNT + _SPEED),
    AnswerType(r"how far|what distance", _AMOUNT + _LENGTH, amount=True),
    AnswerType(r"how (?:high|tall|deep|wide)|what (?:height|depth|width)", _AMOUNT + _OWN_LENGTH, amount=True),
    AnswerType(r"how heavy|what weight|how much does \w+ weigh", _AMOUNT + _WEIGHT, amount=True),
    AnswerType(r"how long", rf"{_AMOUNT}(?:{_DURATION}|{_OWN_LENGTH})", amount=True),
    AnswerType(r"how old", _AMOUNT),
    ANY_NUMBER,
    AnswerType(r"number", r"\d"),
)


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


def without_prices(text: str) -> str:
    """A text without its prices, number words in digits: what costs 45 dollars is not 45 in number."""
    return _PRICE.sub(" ", figures(text, above=0))


def prices(text: str) -> list[tuple[str, str]]:
    """The prices of a text, in order: each its currency and its number in digits."""
    found = []
    for sign, after, before, coin in _PRICE.findall(figures(text, above=0)):
        named = stem((sign or coin).casefold())
        found.append((COINS.get(named, named), (after or before).replace(",", "")))
    return found
