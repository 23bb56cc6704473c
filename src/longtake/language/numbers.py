"""Numbers in one spelling: words as digits, no separators of thousands, no zeros at the end of a fraction."""

from __future__ import annotations

import re
from decimal import Decimal

from text_to_num import alpha2digit

from longtake.language.languages import language_in

NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
}
_TENS = "thirty forty fifty sixty seventy eighty ninety".split()
_IN_DIGITS = NUMBER_WORDS | {word: f"{ten}0" for ten, word in enumerate(_TENS, 3)}
_OTHERS = frozenset("de es fr it nl pt".split())  # the other languages whose number words can be read
_ABOVE = 20.0  # numbers up to this one keep their word, as in "one of them"; `NUMBER_WORDS` has them
_ALONE = re.compile(rf"\b(?:{'|'.join(_IN_DIGITS)})\b", re.IGNORECASE)
# In "the one by the door", "one" is no number.
_PRONOUN = re.compile(r"\b(the|this|that|which|no|any|every|each|another)(?=\s+one\b)(\s+)", re.IGNORECASE)
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}  # powers of ten
_SCALED = re.compile(rf"(?<![\w.,:])(\d+(?:[.,]\d+)*)((?:[\s-]?(?:{'|'.join(_SCALES)})\b)+)", re.IGNORECASE)
# Mixed spellings ("12 million") and mere magnitudes ("hundreds of") are no number that could be spelt in digits.
_MAGNITUDE = re.compile(
    r"\d\s*(?:hundred|thousand|million|billion)|\b(?:hundreds|thousands|millions|billions)\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"[^,;.!?\n]+")
# Side by side these would become `1st` and `2nd`, and alone they keep their word.
_ORDINAL = re.compile(
    r"(?<!ty[ -])(?<!hundred )\b(?=(?:first|second|third|fifth|eighth|ninth|twelfth|twentieth|"
    r"(?:four|six|seven|ten|eleven|(?:thir|four|fif|six|seven|eigh|nine)teen)th)\b)",
    re.IGNORECASE,
)
_KEPT = "\U00010380"  # a letter that no text has: before a word it makes another word
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def in_digits(text: str) -> str:
    """A text with every number in digits: `forty dollars`, `two of them`, `1.5 million`."""
    spelt = _PRONOUN.sub(rf"\1\2{_KEPT}", figures(_SCALED.sub(_scaled, text)))
    return _ALONE.sub(lambda match: _IN_DIGITS[match[0].lower()], spelt).replace(_KEPT, "")


def figures(text: str) -> str:
    """A text with its numbers above twenty in digits: `forty dollars` becomes `40 dollars`.

    In other languages those up to twenty too, unless they are also articles.
    """
    if (language := language_in(text)) in _OTHERS:
        written: str = alpha2digit(text, language)
        return written
    return _CLAUSE.sub(lambda m: m[0] if _MAGNITUDE.search(m[0]) else _figures(m[0]), text)


def without_separators(text: str) -> str:
    """A text whose numbers have no separators of thousands."""
    return _THOUSANDS.sub("", text)


def plain_number(number: str) -> str:
    """One spelling for equal numbers; what is more than a number (a version, a code) stays as it is written."""
    if _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    elif re.fullmatch(r"-?\d+,\d+", number):
        number = number.replace(",", ".")
    if re.fullmatch(r"-?\d+\.\d+", number):
        return number.rstrip("0").rstrip(".")
    return re.sub(r"^0(\d:)", r"\1", number)


def _figures(clause: str) -> str:
    written: str = alpha2digit(_ORDINAL.sub(_KEPT, clause), "en", threshold=_ABOVE)
    return written.replace(_KEPT, "")


def _scaled(match: re.Match[str]) -> str:
    number = plain_number(match[1])
    if not re.fullmatch(r"\d+(?:\.\d+)?", number):
        return match[0]
    zeros = sum(_SCALES[scale.lower()] for scale in re.findall(r"\w+", match[2]))
    return plain_number(f"{Decimal(number).scaleb(zeros):f}")
