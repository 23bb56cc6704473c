"""The pieces of a line of recognised text that can stand in a formula, and what parts one formula from the next.

The signs that slides and keyboards have for arithmetic become the plain ones of the calculator's grammar.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Literal

TIMES, DIVIDED, MINUS, EXPONENT = "×·∙⋅∗✕✖", "÷⁄∕", "−–—‒‐‑", "ˆ＾"
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ˣⁿ"
_LOWERED = "0123456789+-()xn"
_SIGNS = {
    sign: plain for signs, plain in ((TIMES, "*"), (DIVIDED, "/"), (MINUS, "-"), (EXPONENT, "^")) for sign in signs
}
_LOWER = str.maketrans(RAISED, _LOWERED)
_RAISED_RUN = re.compile(f"[{RAISED}]+")
FRACTIONS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_MIXED = re.compile(rf"(\d+)\s?([{FRACTIONS}])")
_FRACTION = re.compile(f"[{FRACTIONS}]")
Kind = Literal["number", "name", "product", "function", "operator", "relation", "raised", "root", "mark", "break"]
FUNCTIONS = ("arcsin", "arccos", "arctan", "sqrt", "sin", "cos", "tan", "exp", "log", "abs", "ln")
_LONGER = {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}
RELATIONS = {"≤": "<=", "≥": ">=", "≠": "!=", "≈": "~"}
# Two or three letters that are no product of unknowns.
_UNITS = frozenset(
    "mm cm dm km ml cl kg mg ms min sec hr hrs am pm px pt kb mb gb tb hz khz mhz ghz kw kwh db fps rpm bpm "
    "th st nd rd".split()
)
# A letter for a digit, only if nothing but a digit can stand: 1O, 1l5, l.5.
_DIGIT = r"(?:\d|(?<=\d)[Oo](?![A-Za-z])|(?<=[\d.])[OolI](?=[\d.])|(?<![\w.])l(?=[.,]?\d))"
_NUMBER = rf"{_DIGIT}{{1,3}}(?:,{_DIGIT}{{3}}(?!\d))+(?:\.{_DIGIT}+)?|{_DIGIT}+(?:\.{_DIGIT}+)?"
_PIECES = re.compile(
    "|".join(
        (
            r"(?P<markup></?[A-Za-z][^<>]*>)",
            r"(?P<address>\S*(?:://|www\.|@)\S*|\w[\w-]*(?:\.[A-Za-z]{2,})+\S*)",
            r"(?P<dotted>v?\d+(?:\.\d+){2,}|\d+(?::\d+)+|(?<![\d.,])0\d+(?!\.))",  # versions, clocks, padded numbers
            rf"(?P<number>{_NUMBER})",
            rf"(?P<half>[{FRACTIONS}])",
            rf"(?P<function>(?:{'|'.join(FUNCTIONS)})(?![a-z]))",
            r"(?P<times>(?<=\d)[xX](?=\d))",  # 37x12
            r"(?P<share>%\s*of\b)",
            rf"(?P<raised>[{RAISED}]+)",
            r"(?P<pi>π)",
            rf"(?P<word>(?<![^\W\d_])[A-Za-z]_?\d{{1,2}}(?!\d)|[^\W\d_π{RAISED}]+)",
            r"(?P<root>√)",
            r"(?P<relation>[<>]=|[=<>≤≥≠≈])",
            r"(?P<operator>\*\*|[-+*/^()])",
            r"(?P<mark>[!%?|])",
            r"(?P<space>\s+)",
            r"(?P<other>.)",
        )
    )
)
_DIGITS = str.maketrans("OolI", "0011")


@dataclass(frozen=True, slots=True)
class MathToken:
    """A token of a line: its kind, its form for the calculator, and its position."""

    kind: Kind
    plain: str
    start: int
    end: int
    after_space: bool


def tokens(line: str) -> list[MathToken]:
    """The pieces of a line from the left; white space is only remembered."""
    found: list[MathToken] = []
    spaced = False
    for match in _PIECES.finditer(one_by_one(line)):
        if match.lastgroup == "space":
            spaced = True
            continue
        kind, plain = _read(str(match.lastgroup), match[0])
        found.append(MathToken(kind, plain, match.start(), match.end(), spaced))
        spaced = False
    return [_times(found, place) for place in range(len(found))]


def _read(group: str, text: str) -> tuple[Kind, str]:
    match group:
        case "number":
            return "number", text.translate(_DIGITS).replace(",", "")
        case "half":
            return "number", fraction(text)
        case "function":
            return "function", _LONGER.get(text, text)
        case "raised":
            return "raised", exponent(text)
        case "relation":
            return "relation", RELATIONS.get(text, text)
        case "operator":
            return "operator", "**" if text == "^" else text
        case "root" | "mark":
            return ("root", "sqrt") if group == "root" else ("mark", text)
        case "times" | "share":
            return "operator", "×" if group == "times" else "%of"
        case "pi":
            return "name", "pi"
        case "word":
            return _word(text)
    return "break", text


def _word(text: str) -> tuple[Kind, str]:
    """An unknown, a product of unknowns as in 4ac, or a word, which ends a formula."""
    letters = text.rstrip("0123456789_")
    if text == "pi" or (len(letters) == 1 and letters.isascii()):
        return "name", text
    if 1 < len(text) <= 3 and text == letters and text.isascii() and text.lower() not in _UNITS:
        return "product", "*".join(text)
    return "break", text


def _times(found: list[MathToken], place: int) -> MathToken:
    """An x between two values, with a space on both sides, is a sign: 37 x 12, 3 x (4+1)."""
    token = found[place]
    if token.plain not in ("x", "X") or not 0 < place < len(found) - 1:
        return token
    before, after = found[place - 1], found[place + 1]
    values = (before.kind == "number" or before.plain == ")") and (after.kind == "number" or after.plain == "(")
    if values and token.after_space and after.after_space:
        return replace(token, kind="operator", plain="×")
    return token


def one_by_one(text: str) -> str:
    """The same text with plain signs, a letter for a letter: what is found in it has the same place in both.

    Full-width forms become ordinary ones. Superscripts, and fractions of one character such as ½, stay unchanged.
    """
    return "".join(map(_plain, text))


def in_line(text: str) -> str:
    """The same text with `**2` for a raised 2, `(1/2)` for ½ and `(3+(1/2))` for 3½."""
    text = _RAISED_RUN.sub(lambda run: f"**{exponent(run[0])}", text)
    text = _MIXED.sub(r"(\1+\2)", text)
    return _FRACTION.sub(lambda found: fraction(found[0]), text)


def exponent(raised: str) -> str:
    """A run of raised letters as an operand."""
    text = raised.translate(_LOWER)
    return text if len(text) == 1 else f"({text})"


def fraction(letter: str) -> str:
    """A fraction of one letter as an operand."""
    return f"({unicodedata.normalize('NFKC', letter).replace('⁄', '/')})"


def _plain(letter: str) -> str:
    if letter in _SIGNS or letter in RAISED:
        return _SIGNS.get(letter, letter)
    compatible = unicodedata.normalize("NFKC", letter)
    return compatible if len(compatible) == 1 else letter
