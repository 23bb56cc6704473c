"""Expressions in recognised text, by a grammar of one line and by what only looks like an expression."""

from __future__ import annotations

from longtake.preprocess.engines.maths.math_grammar import NotMaths, Reader
from longtake.preprocess.engines.maths.math_likeness import Candidate, is_formula
from longtake.preprocess.engines.maths.math_tokens import tokens
from longtake.preprocess.engines.maths.maths import Formula
from longtake.settings import Settings

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
            reader = Reader(pieces, place)
            try:
                plain = reader.relation()
            except NotMaths:
                place += 1
                continue
            candidate = Candidate(line, pieces, place, reader.place, plain)
            if is_formula(candidate):
                found.append(Formula(candidate.seen, plain))
            place = reader.place
        return found
