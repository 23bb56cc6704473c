"""The signs that slides and keyboards have for arithmetic, and the plain ones of the calculator's grammar."""

from __future__ import annotations

import re
import unicodedata

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
