"""`calculator`, and the notations that people and slides use for arithmetic."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Annotated, Any

import sympy
from pydantic import Field
from sympy.polys.polytools import NoConvergence

from longtake.memory.timespan import clock
from longtake.preprocess.engines.maths.math_tokens import in_line, one_by_one
from longtake.tools.compute.algebra import SECOND, bounded, degree, digits, expanded, is_real, power, write
from longtake.tools.core.registry import tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext

_UNIT_SPELLINGS = {
    "0.001": "ms millisecond milliseconds",
    "1": "s sec secs second seconds",
    "60": "min mins minute minutes",
    "3600": "h hr hrs hour hours",
    "86400": "day days",
    "604800": "week weeks",
}
UNITS = {name: seconds for seconds, names in _UNIT_SPELLINGS.items() for name in names.split()}
_NUMBER = r"(?:\d+/\d+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
_END = r"(?![A-Za-z_(])"
# A lone m may mean metres; after hours or before seconds it means minutes.
_MINUTES = re.compile(rf"(?<=h)(\s*\d+\s*)m{_END}|(?<![\w.])(\d+\s*)m(?=\s*{_NUMBER}\s*s{_END})")
_QUANTITY = rf"{_NUMBER}\s*(?:{_UNIT}){_END}"
_QUANTITIES = re.compile(rf"(?<![\w.]){_QUANTITY}(?:(?:\s*,)?\s*(?:and\s+)?{_QUANTITY})*")
_ONE = re.compile(rf"({_NUMBER})\s*({_UNIT}){_END}")
_OF_GROUP = re.compile(rf"(?<=\))\s*({_UNIT}){_END}")  # (1/2) h
_CLOCK = re.compile(r"(?<![\w.:])(?:0*(\d{1,3}):)?0*(\d{1,3}):0?([0-5]?\d(?:\.\d+)?)(?![\w:])")
_WANTED = re.compile(rf"\s(?:in|to|as)\s+({_UNIT})\s*$")
_LONGEST = 10**12  # seconds that can be written as a clock time
MAX_DEGREE = 16
MAX_DIGITS = 50  # of a coefficient
_DIGITS = 30  # of what is compared
INVERSES: dict[Any, Callable[[Any], tuple[Any, ...]]] = {
    sympy.Abs: lambda value: (value, -value),
    sympy.exp: lambda value: (sympy.log(value),),
    sympy.log: lambda value: (power(sympy.E, value),),
    sympy.sin: lambda value: (sympy.asin(value), sympy.pi - sympy.asin(value)),
    sympy.cos: lambda value: (sympy.acos(value), -sympy.acos(value)),
    sympy.tan: lambda value: (sympy.atan(value),),
    sympy.asin: lambda value: (sympy.sin(value),),
    sympy.acos: lambda value: (sympy.cos(value),),
    sympy.atan: lambda value: (sympy.tan(value),),
}
LONGEST = 500
_VALUE_ENDS, _VALUE_STARTS = r"(?<=[\d).])", r"(?=[\d(.])"
_PERCENT = r"(?:%|per\s?cent\b)"
# The order matters: a later replacement may depend on an earlier one.
_SPELLINGS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"[$€£¥]", ""),
        (r"π", " pi "),
        (r"\^", "**"),
        (r"==+", "="),
        (r"(?<=\d)[, ](?=\d{3}(?!\d))", ""),  # 1,234,567
        (r"(?<![\w.:])0+(?=\d)(?!\d*:)", ""),  # 007
        (r"√\s*(\d+(?:\.\d+)?|[a-zA-Z])", r"sqrt(\1)"),
        (r"√", "sqrt"),
        (r"(\d+)\s*!(?!=)", r"factorial(\1)"),
        (rf"(\d+(?:\.\d+)?)\s*{_PERCENT}\s*of\b", r"(\1/100)*"),
        (rf"(\d+(?:\.\d+)?)\s*{_PERCENT}(?!\s*[\w(.])", r"percent(\1)"),  # before a value it means remainder
        (r"(?<=\d)\s*[xX]\s*(?=\d)", "*"),  # 37x12
        (rf"{_VALUE_ENDS}\s+[xX]\s+{_VALUE_STARTS}", "*"),
    )
)
_JUXTAPOSED = re.compile(r"(?<=[\d)])\s*(?=[a-zA-Z(])(?![eE][+-]?\d)")  # 2x, 3(4+1), (a)(b)


@tool()
def calculator(
    context: ToolContext,
    expression: Annotated[
        str,
        Field(
            description="Such as '37*12+56', 'sqrt(2)*3', '240 + 15 %', '00:12:34 + 90 s', '3 h in minutes' "
            "or an equation '2*x + 3 = 11'."
        ),
    ],
) -> ToolResult:
    """Arithmetic, clock times, equations.

    Percentages are read too. An equation has one unknown.
    """
    return ToolResult(tool="calculator", output={"result": evaluate(expression)})


def evaluate(expression: str) -> str:
    """The exact result, with a decimal value if it isn't whole; for an equation its real solutions.

    A time is given as a clock time and in seconds.

    Raises:
        ToolError: if the expression isn't arithmetic or is too large to calculate.
    """
    if not expression.strip() or len(expression) > LONGEST:
        raise ToolError("bad_arguments", f"expression: write between 1 and {LONGEST} characters of arithmetic.")
    try:
        text = _spelt(expression)
        return _timed(text) or _plain(text)
    except (ArithmeticError, TypeError, ValueError) as error:  # sympy can't decide or evaluate
        raise ToolError("refused", "expression: its value can't be determined with certainty.") from error


def normalise(expression: str) -> str:
    """Replace the symbols that people and slides use with those of the grammar, and drop a closing `= ?`."""
    return _JUXTAPOSED.sub("*", _spelt(expression))


def _spelt(expression: str) -> str:
    text = unicodedata.normalize("NFKC", one_by_one(in_line(expression))).strip().rstrip("?").strip()
    for pattern, replacement in _SPELLINGS:
        text = pattern.sub(replacement, text)
    return text


def _plain(text: str) -> str:
    from longtake.tools.compute.algebra import read, write

    left, _, right = _JUXTAPOSED.sub("*", text).partition("=")
    return solve(read(left), read(right)) if right.strip() else write(read(left))


def _timed(text: str) -> str | None:
    """The result of an expression with times; None without times."""
    from longtake.tools.compute.algebra import read

    left, _, right = text.partition("=")
    left, unit = wanted_unit(left)
    sides = [side for side in (left, right) if side.strip()]
    timed = [in_seconds(side) for side in sides]
    if timed == sides and unit is None:
        return None
    values = [read(_JUXTAPOSED.sub("*", side)) for side in timed]
    return write_time(values[0], unit) if len(values) == 1 else same_time(*values)


def solve(left: Any, right: Any) -> str:
    """The real solutions of `left = right`; without an unknown, whether it is true.

    For a trigonometric equation, the solutions of one turn are given.

    Raises:
        ToolError: if it has several unknowns or can't be solved in bounded time.
    """
    difference = expanded(bounded(left - right))
    unknowns = sorted(difference.free_symbols, key=str)
    if not unknowns:
        same = difference.is_zero if left.free_symbols else _equal(left, right)
        return "true" if same else "false"
    if len(unknowns) > 1:
        named = ", ".join(map(str, unknowns))
        raise ToolError("bad_arguments", f"expression: an equation needs one unknown, but this one has {named}.")
    if degree(difference)[0] > MAX_DEGREE or digits(difference) > MAX_DIGITS:
        raise ToolError("refused", f"An equation may have degree {MAX_DEGREE} and {MAX_DIGITS} digits at most.")
    roots = _roots(difference, unknowns[0])
    return ", ".join(f"{unknowns[0]} = {write(root)}" for root in roots) or "no real solution"


def _roots(difference: Any, unknown: Any) -> list[Any]:
    if difference.is_rational_function(unknown):
        found = _polynomial_roots(sympy.Poly(sympy.fraction(sympy.together(difference))[0], unknown))
    elif sum(node == unknown for node in sympy.preorder_traversal(difference)) == 1:
        found = [root for root in _undone(difference, unknown, sympy.Integer(0)) if _solves(difference, unknown, root)]
    else:
        raise ToolError("refused", f"This equation can't be solved: {unknown} must stand in one place only.")
    return sorted({root for root in found if is_real(root)}, key=sympy.N)


def _polynomial_roots(polynomial: Any) -> list[Any]:
    """Exact for factors up to degree 2, numeric beyond: exact root isolation took 12 s at degree 12."""
    rational = polynomial.domain.is_ZZ or polynomial.domain.is_QQ
    roots: list[Any] = []
    factors = [factor for factor, _ in polynomial.factor_list()[1]] if rational else [polynomial]
    for factor in factors:
        if not factor.degree():  # a constant over the unknown
            continue
        try:
            roots += _low_roots(factor) if factor.degree() <= 2 else factor.nroots(n=_DIGITS, maxsteps=200)
        except NoConvergence as error:
            raise ToolError("refused", "The solutions of this equation couldn't be separated.") from error
    return roots


def _low_roots(polynomial: Any) -> list[Any]:
    """By the formulas for degree 1 and 2; `sympy.roots` would first try to simplify irrational coefficients."""
    *square, first, constant = polynomial.all_coeffs()
    if not square:
        return [bounded(-constant / first)]
    [leading] = square
    discriminant = bounded(first**2 - 4 * leading * constant)
    if sympy.N(discriminant) < 0:
        return []
    return [bounded((sign * sympy.sqrt(discriminant) - first) / (2 * leading)) for sign in (-1, 1)]


def _undone(expression: Any, unknown: Any, value: Any) -> list[Any]:
    """The possible values of the unknown, which occurs once in the expression, if the expression has this value."""
    if expression == unknown:
        return [value]
    [inner] = [part for part in expression.args if part.has(unknown)]
    others = [part for part in expression.args if part is not inner]
    if expression.is_Add:
        values: tuple[Any, ...] = (value - sympy.Add(*others),)
    elif expression.is_Mul:
        values = (value / sympy.Mul(*others),)
    elif expression.is_Pow and inner == expression.base:
        root = power(value, 1 / expression.exp) if value else value
        values = (root, -root)
    elif expression.is_Pow:
        values = (sympy.log(value) / sympy.log(expression.base),)
    else:
        values = INVERSES[expression.func](value)
    return [root for each in values if is_real(each) for root in _undone(inner, unknown, bounded(each))]


def _solves(difference: Any, unknown: Any, root: Any) -> bool:
    """Whether a root is genuine: inverting a power or an absolute value may invent some."""
    return _equal(difference.evalf(_DIGITS, subs={unknown: root}), sympy.Integer(0))


def _equal(left: Any, right: Any) -> bool:
    if left.is_Rational and right.is_Rational:
        return bool(left == right)
    near, other = sympy.N(left, _DIGITS), sympy.N(right, _DIGITS)
    return bool(abs(near - other) <= sympy.Float("1e-20") * max(1, abs(near), abs(other)))


def in_seconds(text: str) -> str:
    """The text with every clock time and duration as a multiple of the constant `second`."""
    text = _MINUTES.sub(lambda found: f"{found[1] or found[2]}min", text)
    text = _CLOCK.sub(lambda found: f"((({found[1] or 0}*60+{found[2]})*60+{found[3]})*second)", text)
    text = _QUANTITIES.sub(lambda run: f"(({_sum(run[0])})*second)", text)
    return _OF_GROUP.sub(lambda found: f"*{UNITS[found[1]]}*second", text)


def wanted_unit(text: str) -> tuple[str, str | None]:
    """The text without a closing `in seconds`, and the requested unit."""
    found = _WANTED.search(text)
    return (text[: found.start()], found[1]) if found else (text, None)


def write_time(value: Any, unit: str | None = None) -> str:
    """A number of seconds as `HH:MM:SS` and in seconds, or in the requested unit; a plain number as it is.

    Raises:
        ToolError: if times and plain numbers are mixed, or a unit is requested for something that isn't a time.
    """
    value = expanded(value)
    seconds = expanded(bounded(value / SECOND))
    if value.has(SECOND) and seconds.has(SECOND):
        raise ToolError("bad_arguments", "expression: it adds times and plain numbers, or multiplies times.")
    if not value.has(SECOND) and (unit is None or value):
        if unit:
            raise ToolError("bad_arguments", f"expression: its value isn't a time, so it can't be given in {unit}.")
        return write(value)
    if seconds.free_symbols:
        raise ToolError("bad_arguments", "expression: a time can't contain an unknown.")
    if unit:
        return f"{write(bounded(seconds / sympy.Rational(UNITS[unit])))} {unit}"
    if abs(seconds) >= _LONGEST:
        return f"{write(seconds)} s"
    return f"{_clock(seconds)} = {write(seconds)} s"


def same_time(left: Any, right: Any) -> str | None:
    """Whether two times are equal; None if one isn't a time, because then what looks like a unit is an unknown.

    Raises:
        ToolError: if there is an unknown next to the times.
    """
    if (left.free_symbols | right.free_symbols) - {SECOND}:
        raise ToolError("bad_arguments", "expression: an equation of times can't have an unknown.")
    sides = [expanded(bounded(side / SECOND)) for side in (left, right)]
    if any(side.free_symbols for side in sides):
        return None
    return "true" if expanded(bounded(sides[0] - sides[1])).is_zero else "false"


def _sum(quantities: str) -> str:
    return "+".join(f"{number}*{UNITS[unit]}" for number, unit in _ONE.findall(quantities))


def _clock(seconds: Any) -> str:
    decimals = 0 if seconds.is_Integer else 3
    return ("-" if seconds < 0 else "") + clock(float(abs(seconds)), decimals=decimals)
