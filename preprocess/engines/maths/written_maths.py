"""Expressions in recognised text, by a grammar of one line and by what only looks like one: dates, clocks, versions,
scores, ranges, sizes, prices, legends and areas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longtake.preprocess.engines.maths.math_grammar import NotMaths, TokenReader
from longtake.preprocess.engines.maths.math_tokens import MathToken, tokens
from longtake.preprocess.engines.maths.maths import Formula
from longtake.settings import Settings

_CURRENCY = re.compile(r"[$€£¥₹]")
_RELATION = re.compile(r" (?:[<>!]?=|[<>~]) ")
_SURE = {"+", "*", "**"}  # signs that dates, scores and ranges do not have
_PICTURE_SIDE = 100  # pixels; 1920×1080 is a size
_SHORTEST_WORD = 4  # letters; recognition often loses the space after a word, as in Compute37+5


@dataclass(frozen=True, slots=True)
class MathsCandidate:
    """What the grammar read from `first` to before `end` of a line's tokens."""

    line: str
    tokens: Sequence[MathToken]
    first: int
    end: int
    plain: str

    @property
    def used(self) -> Sequence[MathToken]:
        """The tokens it is made of."""
        return self.tokens[self.first : self.end]

    @property
    def seen(self) -> str:
        """Its part of the line."""
        return self.line[self.used[0].start : self.used[-1].end]

    def of_kind(self, *kinds: str) -> list[str]:
        """The tokens of some kinds, in plain signs."""
        return [token.plain for token in self.used if token.kind in kinds]


def is_formula(found: MathsCandidate) -> bool:
    """Whether it must be mathematics: by its relation or its signs, and because no word is a part of it."""
    if _is_glued(found) or (found.of_kind("product") and not _products_are_sure(found)):
        return False
    return _relates(found) if found.of_kind("relation") else _computes(found)


def _relates(found: MathsCandidate) -> bool:
    """`2x = 6`, `x = 5`, `x < 5` and `3/4 =`; but not the legend `1 = A`, nor `A = B`, nor `5 > 3`."""
    sides = _RELATION.split(found.plain)
    numbers, names = found.of_kind("number"), found.of_kind("name", "product")
    if len(sides) == 1:
        return bool(numbers) and re.search(r"[-+*/(]", found.plain[1:]) is not None
    if " = " not in found.plain:
        return bool(numbers and names)
    bare = all(re.fullmatch(r"[\w.]+", side) for side in sides)
    return not bare or (sides[0].isalpha() and bool(numbers))


def _computes(found: MathsCandidate) -> bool:
    """`37*12 + 56`, `3x + 2`, `2^10`, `sin(30)`; but not `12/05/2024`, `3-1`, `1920×1080`, `$5 + $3`, `100 m²`."""
    numbers, names = found.of_kind("number"), found.of_kind("name", "product")
    if not numbers or _CURRENCY.search(found.line) or re.fullmatch(r"[-+]?[\w.]+[!%]?", found.plain):
        return False
    if found.of_kind("function", "root"):
        return True
    operators = found.of_kind("operator")
    signs = {"**"} if found.of_kind("raised") else set[str]()
    signs.update(operators)
    if not (signs & _SURE or "%of" in signs or "÷" in found.seen):
        return False
    if not signs - {"**", "(", ")"}:  # one power
        return not names
    if names and "**" not in signs and _beside_words(found):
        return _has_coefficient(found)
    plain = [number for number in numbers if number[0].isdigit()]
    return not (operators == ["*"] and all(float(number) >= _PICTURE_SIDE for number in plain))


def _products_are_sure(found: MathsCandidate) -> bool:
    """Two or three letters are a word, unless there are powers or other unknowns, and nothing else on the line."""
    products, names = found.of_kind("product"), found.of_kind("name")
    long = [product for product in products if len(product) > len("a*b")]
    if any(product.isupper() or (product.islower() and not names) for product in long):  # VAT, pan = yaw
        return False
    powers = "**" in found.plain or _has_coefficient(found)
    return (powers or len(products) + len(names) > 1) and not _beside_words(found)


def _has_coefficient(found: MathsCandidate) -> bool:
    """Whether a number is directly before an unknown."""
    pairs = zip(found.used, found.used[1:], strict=False)
    return any(
        one.kind == "number" and other.kind in ("name", "product") and not other.after_space for one, other in pairs
    )


def _beside_words(found: MathsCandidate) -> bool:
    around = [*found.tokens[max(0, found.first - 1) : found.first], *found.tokens[found.end : found.end + 1]]
    return any(_is_word(token) for token in around)


def _is_glued(found: MathsCandidate) -> bool:
    """Whether a word, a date or a lone sign touches it, so that it is only a part of something."""
    before, after = found.tokens[found.first - 1] if found.first else None, found.tokens[found.end : found.end + 1]
    if any(_touches(token) for token in after if not token.after_space):
        return True
    if before is None or found.used[0].after_space or not _touches(before):
        return False
    lost_space = before.plain.isalpha() and len(before.plain) >= _SHORTEST_WORD
    return not (lost_space and (found.used[0].kind == "number" or found.used[0].plain == "("))


def _touches(token: MathToken) -> bool:
    return _is_word(token) or (token.kind == "operator" and token.plain not in "()")


def _is_word(token: MathToken) -> bool:
    return token.kind in ("product", "name", "number") or any(map(str.isalnum, token.plain))


_LONGEST = 400  # characters of a line; what is longer is no line of a slide


class WrittenMaths:
    """Finds formulas by their signs in one line; a fraction set over two lines is not seen."""

    id = "written_maths-1"

    def __init__(self, settings: Settings) -> None:
        pass

    def find(self, line: str) -> list[Formula]:
        """The expressions in one line of recognised text, from the left."""
        line = line[:_LONGEST]
        pieces = tokens(line)
        found: list[Formula] = []
        place = 0
        while place < len(pieces):
            reader = TokenReader(pieces, place)
            try:
                plain = reader.relation()
            except NotMaths:
                place += 1
                continue
            candidate = MathsCandidate(line, pieces, place, reader.place, plain)
            if is_formula(candidate):
                found.append(Formula(candidate.seen, plain))
            place = reader.place
        return found
