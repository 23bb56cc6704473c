"""Exact arithmetic and algebra over a small grammar. No code runs, and intermediate results stay small.

sympy does the mathematics. A thread can't be killed, so sympy only gets small input: numbers are bounded before each
power and after each operation, and expressions with unknowns are only rewritten if they are rational functions of low
degree. Irrational numbers keep their exact form while it is short. `simplify` isn't used: its cost is unbounded.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

import sympy

from longtake.tools.core.result import ToolError

MAX_DIGITS = 4_000  # of a number; below the 4,300 that Python writes out
MAX_DEGREE = 16  # of an expression that is rewritten
MAX_GENERATORS = 3  # unknowns and irrational constants of one
MAX_EXPONENT = 100  # of an unknown
MAX_ROOT = 1_000  # higher roots become decimal numbers
MAX_ROOT_DIGITS = 500  # of a number under a root, because sympy factors it
MAX_FACTORIAL = 1_000
MAX_NESTED = 5  # nested functions: each level may double sympy's work
MAX_OPERATIONS = 12  # of an exact form that isn't a fraction
MAX_EXACT_DIGITS = 20  # of a number in it
_ROUNDED_DIGITS = 30
MAX_EXACT_LENGTH = 60  # characters; a longer exact form is omitted, and only the decimal value shown
MAX_QUOTE_LENGTH = 60
SECOND = sympy.Symbol("second", positive=True)
CONSTANTS = {"pi": sympy.pi, "e": sympy.E, "E": sympy.E, "second": SECOND}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sqrt": lambda value: power(value, sympy.Rational(1, 2)),
    "abs": sympy.Abs,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "asin": sympy.asin,
    "acos": sympy.acos,
    "atan": sympy.atan,
    "exp": lambda value: power(sympy.E, value),
    "log": sympy.log,
    "ln": sympy.log,
    "factorial": lambda value: _factorial(value),
    "floor": lambda value: _floor(value),
    "ceiling": lambda value: -_floor(-value),
    "percent": lambda value: value / 100,
}
OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / _divisor(right),
    ast.FloorDiv: lambda left, right: _floor(left / _divisor(right)),
    ast.Mod: lambda left, right: left - right * _floor(left / _divisor(right)),
    ast.Pow: lambda base, exponent: power(base, exponent),
}
_UNKNOWN = re.compile(r"[A-Za-z](?:_?\d{1,2})?")


def read(text: str) -> Any:
    """An expression as a sympy value.

    Raises:
        ToolError: if it isn't arithmetic, has no finite value or grows too large.
    """
    text = text.strip()
    try:
        tree = ast.parse(text, mode="eval").body
        if _nesting(tree) > MAX_NESTED:
            raise ToolError("refused", f"Functions may be nested {MAX_NESTED} deep at most.")
        return _build(tree, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ToolError(
            "bad_arguments", f"expression: {_shortened(text)!r} isn't arithmetic that can be read."
        ) from error


def write(value: Any) -> str:
    """A value in full if that is short, and as a decimal number if it isn't whole."""
    value = expanded(value)
    if value.is_Integer or not value.is_number:
        return str(value)
    decimal = _decimal(value)
    if (
        value.has(sympy.CRootOf, sympy.Float)
        or len(str(value)) > MAX_EXACT_LENGTH
        or (value.is_Rational and sympy.Rational(decimal) == value)
    ):
        return decimal
    return f"{value} = {decimal}"


def _build(node: ast.AST, text: str) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _literal(ast.get_source_segment(text, node) or str(value))
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.Name(id=name) if _UNKNOWN.fullmatch(name):
            return sympy.Symbol(name, real=True)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_build(operand, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _build(operand, text)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right) if _shares(right, left):
            whole = _build(left, text)
            return bounded(OPERATORS[type(operator)](whole, bounded(whole * _build(right, text))))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            return bounded(OPERATORS[type(operator)](_build(left, text), _build(right, text)))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return bounded(FUNCTIONS[name](_build(argument, text)))
    raise ToolError("bad_arguments", _not_arithmetic(node))


def _shares(right: ast.AST, left: ast.AST) -> bool:
    """Whether a percentage is added to something other than a percentage: 240 + 15 % means 15 % of 240."""
    return _is_percentage(right) and not _is_percentage(left)


def _is_percentage(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "percent"


def _nesting(node: ast.AST) -> int:
    deepest = max((_nesting(child) for child in ast.iter_child_nodes(node)), default=0)
    return deepest + isinstance(node, ast.Call)


def _not_arithmetic(node: ast.AST) -> str:
    if isinstance(node, (ast.Tuple, ast.List)):
        return "expression: one at a time. Call the tool once for each, and write numbers without commas."
    name = node.func if isinstance(node, ast.Call) else node
    close = get_close_matches(name.id, [*FUNCTIONS, *CONSTANTS], n=1) if isinstance(name, ast.Name) else []
    hint = f"did you mean {close[0]!r}?" if close else f"functions: {', '.join(FUNCTIONS)}."
    return f"expression: {_shortened(ast.unparse(node))!r} is not arithmetic; {hint}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_QUOTE_LENGTH else text[:MAX_QUOTE_LENGTH] + "…"


def _literal(text: str) -> Any:
    number = Decimal(int(text, 0)) if text[:2].lower() in ("0x", "0o", "0b") else Decimal(text)
    # Decimal stores the exponent separately; as a fraction, 1e999999999 would fill the memory.
    if abs(number.adjusted()) > MAX_DIGITS:
        raise _too_large()
    return sympy.Rational(str(number))


def _floor(value: Any) -> Any:
    """The floor of a real number, from its digits: sympy would expand a power to find its sign."""
    if value.free_symbols or not is_real(value):
        raise ToolError("bad_arguments", "expression: remainders and rounding need real numbers.")
    if value.is_Rational:
        return sympy.floor(value)
    exact = sympy.N(value, max(0, int(_magnitude(value))) + _ROUNDED_DIGITS)
    nearest = sympy.Integer(round(exact))
    return nearest if abs(exact - nearest) < sympy.Float("1e-20") else sympy.floor(exact)


def _divisor(value: Any) -> Any:
    if value.is_zero or (value.is_number and expanded(value).is_zero):
        raise ToolError("bad_arguments", "expression: division by zero.")
    return value


def _factorial(value: Any) -> Any:
    if not (value.is_Integer and 0 <= value <= MAX_FACTORIAL):
        raise ToolError("refused", f"factorial takes whole numbers from 0 to {MAX_FACTORIAL}.")
    return sympy.factorial(value)


def power(base: Any, exponent: Any) -> Any:
    """A power, after a check of its size.

    Raises:
        ToolError: if it is too large or doesn't exist.
    """
    if base.is_zero and exponent.is_negative:
        raise ToolError("bad_arguments", "expression: division by zero.")
    if base.free_symbols or exponent.free_symbols:
        # A number inside the base is raised as well: (2*x)**n becomes 2**n * x**n.
        largest = max((abs(number) for number in exponent.atoms(sympy.Rational)), default=1)
        if largest > MAX_EXPONENT or largest * digits(base) > MAX_DIGITS:
            raise ToolError("refused", f"The power of an unknown may be {MAX_EXPONENT} at most.")
    elif base not in (0, 1, -1):
        times = abs(sympy.N(exponent))
        if times * abs(_magnitude(base)) > MAX_DIGITS:
            raise _too_large()
        # For example 1.0005**10950, whose exact fraction is too long, or 2**(10**-30), a root that sympy would factor.
        if times * digits(base) > MAX_DIGITS or (exponent.is_Rational and exponent.q > MAX_ROOT):
            return sympy.N(base, _ROUNDED_DIGITS) ** sympy.N(exponent, _ROUNDED_DIGITS)
    if not exponent.is_Integer and digits(base) > MAX_ROOT_DIGITS:
        raise ToolError("refused", f"Roots work for numbers up to {MAX_ROOT_DIGITS} digits.")
    return base**exponent


def _magnitude(value: Any) -> Any:
    """Decimal logarithm of a number's absolute value; if unknown, a value that rejects every power."""
    approximate = abs(sympy.N(value))
    if not approximate:
        return sympy.Integer(0)
    return sympy.log(approximate, 10) if approximate.is_Float else sympy.Integer(2 * MAX_DIGITS)


def digits(value: Any) -> int:
    """Digits of the longest whole number in a value, at least 1."""
    numbers = value.atoms(sympy.Rational)
    bits = max((max(abs(number.p), number.q).bit_length() for number in numbers), default=1)
    return max(1, round(bits * 0.30103))


def bounded(value: Any) -> Any:
    """The value itself, or a decimal number if its exact form is long.

    Raises:
        ToolError: if it isn't a finite real number or has too many digits.
    """
    if value.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        raise ToolError("bad_arguments", "expression: it has no finite value, as in a division by zero.")
    if digits(value) > MAX_DIGITS:
        raise _too_large()
    if value.free_symbols and value.has(sympy.Float):  # sympy's search for common factors of decimals may not end
        raise ToolError("refused", "An unknown is combined with a number that could only be rounded.")
    if value.free_symbols or value.is_Rational:
        return value
    if not is_real(value):
        raise ToolError("bad_arguments", "expression: it has no real value, as in the root of a negative number.")
    if abs(_magnitude(value)) > MAX_DIGITS:
        raise _too_large()
    # sympy's rules may not end on long sums of roots and logarithms.
    short = value.count_ops() <= MAX_OPERATIONS and digits(value) <= MAX_EXACT_DIGITS
    return value if short else sympy.N(value, _ROUNDED_DIGITS)


def _too_large() -> ToolError:
    return ToolError("refused", f"The calculation produces a number with more than {MAX_DIGITS} digits.")


def expanded(value: Any) -> Any:
    """The value as one reduced fraction, if it is a rational function of small size."""
    if not value.is_rational_function(*value.free_symbols):
        return value
    powers = value.atoms(sympy.Pow)
    if any(not power.exp.is_Rational or digits(power.exp) > 2 for power in powers):
        return value
    constants = [power for power in powers if power.is_number]
    irrational = len(constants) + len(value.atoms(sympy.Function, sympy.NumberSymbol))
    if irrational + len(value.free_symbols) > MAX_GENERATORS or max(degree(value)) > MAX_DEGREE:
        return value
    return bounded(sympy.cancel(value))


def degree(value: Any) -> tuple[int, int]:
    """Bounds on the degrees of numerator and denominator; a function counts twice the degree of its argument."""
    if value.is_Rational:
        return 0, 0
    if value.is_Add:
        parts = [degree(part) for part in value.args]
        below = sum(part[1] for part in parts)
        return max(above + below - own for above, own in parts), below
    if value.is_Mul:
        parts = [degree(part) for part in value.args]
        return sum(part[0] for part in parts), sum(part[1] for part in parts)
    if value.is_Pow and value.exp.is_Integer:
        above, below = degree(value.base)
        times = abs(int(value.exp))
        return (above * times, below * times) if value.exp > 0 else (below * times, above * times)
    inner = sum(sum(degree(part)) for part in value.args if part.free_symbols)
    return (2 * inner if inner else 1), 0


def is_real(value: Any) -> bool:
    """Whether a number is real, judged by its digits and not its form."""
    return bool(sympy.N(value, _ROUNDED_DIGITS, chop=True).is_real)


def _decimal(value: Any) -> str:
    mantissa, sign, exponent = str(sympy.N(value, 12)).partition("e")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + sign + exponent
