"""Maths: the expressions in what was read from a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Formula:
    """One expression: as it was read, and in the calculator's signs (`2*x**2 + 3 = 11`)."""

    seen: str
    plain: str


class MathsEngine(Protocol):
    """A finder of expressions."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    def find(self, line: str) -> list[Formula]:
        """The expressions in one line of recognised text, from the left."""
        ...
