"""A recursive-descent reader of formulas: the longest one that begins at a token, in the calculator's signs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longtake.preprocess.engines.maths.math_tokens import MathToken

_DEEPEST = 20  # brackets, roots and powers in one another
_END = MathToken("break", "", -1, -1, True)
_TIMES = {"*": "*", "/": "/", "×": "*", "%of": "/100*"}
_APPLIED = frozenset("fghFG")


class NotMaths(ValueError):
    """No formula begins here."""


class TokenReader:
    """Reads tokens from a place on; each method gives what it read, with `place` after it.

    relation: sum (('=' | '<' | ...) sum)* ['=' ['?']]
    sum:      product (('+' | '-') product)*
    product:  factor (('*' | '/' | '×' | '% of' | nothing) factor)*
    factor:   ['-' | '+'] value ['!' | '%'] ['^' factor | raised]
    value:    number | name | product of names | '(' sum ')' | '|' sum '|' | function [raised] value | root value | f(x)
    """

    def __init__(self, tokens: Sequence[MathToken], place: int) -> None:
        self._tokens = tokens
        self.place = place
        self._depth = 0

    def relation(self) -> str:
        """One or more sums with relations between them; a closing `=` or `= ?` is passed over.

        Raises:
            NotMaths: if there isn't even a value here.
        """
        text = self._sum()
        while (mark := self._next()).kind == "relation":
            self.place += 1
            right = self._maybe(self._sum)
            if right is None:
                self.place -= mark.plain != "="
                break
            text = f"{text} {mark.plain} {right}"
        if self._next().plain == "?" and self._before().plain == "=":
            self.place += 1
        return text

    def _sum(self) -> str:
        text = self._product()
        while (sign := self._next().plain) in ("+", "-"):
            right = self._after_sign(self._product)
            if right is None:
                break
            text = f"{text} {sign} {right}"
        return text

    def _product(self) -> str:
        text = self._factor()
        while True:
            sign = self._next().plain
            if sign in _TIMES:
                right = self._after_sign(self._factor)
            else:
                sign, right = "*", self._maybe(self._factor) if self._juxtaposed() else None
            if right is None:
                return text
            text = f"{text}{_TIMES[sign]}{right}"

    def _factor(self) -> str:
        sign = self._next().plain
        if sign in ("-", "+"):
            self.place += 1
            if self._next().after_space:  # a dash before a point of a list
                raise NotMaths
            return f"{sign}{self._factor()}"
        text = self._value()
        if self._is_postfix():
            self.place += 1
            text += self._before().plain
        if self._next().plain == "**":
            power = self._after_sign(self._factor)
            return text if power is None else f"{text}**{power}"
        return text + self._raised()

    def _value(self) -> str:
        token = self._next()
        self.place += 1
        if token.kind in ("number", "name"):
            return self._applied() if token.plain in _APPLIED else token.plain
        if token.kind == "product":
            return token.plain
        if token.plain == "(" or (token.plain == "|" and not self._next().after_space):
            return self._group(")") if token.plain == "(" else f"abs{self._group('|')}"
        if token.kind in ("function", "root"):
            raised = self._raised() if token.kind == "function" else ""
            inner = self._deeper(self._argument)
            return f"{token.plain}({inner}){raised}"
        raise NotMaths

    def _argument(self) -> str:
        """What a function or root is taken of: a group without its brackets, or a value such as 2x."""
        if self._next().plain == "(":
            self.place += 1
            return self._group(")")[1:-1]
        text = self._value() + self._raised()
        if self._before().kind == "number" and self._juxtaposed() and self._next().kind == "name":
            text = f"{text}*{self._value()}"
        return text

    def _applied(self) -> str:
        """A name of a function with its variable, as in f(x) = ...; else the name alone."""
        name, begun = self._before().plain, self.place
        opening, variable, closing = [*self._tokens[begun : begun + 3], _END, _END, _END][:3]
        if (opening.plain, closing.plain) == ("(", ")") and variable.kind == "name" and not opening.after_space:
            self.place += 3
            return f"{name}({variable.plain})"
        return name

    def _group(self, closing: str) -> str:
        text = self._deeper(self._sum)
        if self._next().plain != closing:
            raise NotMaths
        self.place += 1
        return f"({text})"

    def _deeper(self, part: Callable[[], str]) -> str:
        if self._depth == _DEEPEST:
            raise NotMaths
        self._depth += 1
        try:
            return part()
        finally:
            self._depth -= 1

    def _raised(self) -> str:
        if self._next().kind != "raised" or self._next().after_space:
            return ""
        self.place += 1
        return f"**{self._before().plain}"

    def _is_postfix(self) -> bool:
        """Whether `%` or `!` follows; at the end of a line `!` is an exclamation."""
        mark = self._next().plain
        return mark == "%" or (mark == "!" and not self._next().after_space and self.place + 1 < len(self._tokens))

    def _juxtaposed(self) -> bool:
        """Whether the next token may be multiplied without a sign: 2x, 3(4+1), 2 x, (a)(b), 4 sin x."""
        before, token = self._before(), self._next()
        if token.kind not in ("name", "product", "function", "root") and token.plain != "(":
            return False
        spaced = token.kind in ("function", "root") or (before.kind == "number" and token.kind == "name")
        return spaced or not token.after_space

    def _after_sign(self, part: Callable[[], str]) -> str | None:
        """What follows an operator; if nothing does, the operator is left unread."""
        self.place += 1
        text = self._maybe(part)
        self.place -= text is None
        return text

    def _maybe(self, part: Callable[[], str]) -> str | None:
        begun, depth = self.place, self._depth
        try:
            return part()
        except NotMaths:
            self.place, self._depth = begun, depth
            return None

    def _next(self) -> MathToken:
        return self._tokens[self.place] if self.place < len(self._tokens) else _END

    def _before(self) -> MathToken:
        return self._tokens[self.place - 1]
