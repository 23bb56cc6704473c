"""`calculator`: arithmetic and algebra through sympy, from a grammar that cannot run code or explode."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from longtake.tools.context import ToolContext
from longtake.tools.registry import tool
from longtake.tools.result import ToolError, ToolResult

LONGEST = 500
MOST_DIGITS = 4_000
FUNCTIONS = ("sqrt", "abs", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "factorial", "floor", "ceiling")
CONSTANTS = {"pi": "pi", "e": "E", "E": "E"}
SPELLINGS = {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "**", "²": "**2", "³": "**3", "√": "sqrt"}


@tool()
def calculator(
    context: ToolContext,
    expression: Annotated[str, Field(description="Such as '37*12+56', 'sqrt(2)*3' or an equation '2*x + 3 = 11'.")],
) -> ToolResult:
    """Work out arithmetic, or solve an equation for its one unknown."""
    return ToolResult(tool="calculator", output={"result": evaluate(expression)})


def evaluate(expression: str) -> str:
    """The exact result, with a decimal value where it is not whole.

    Raises:
        ToolError: when the expression is not arithmetic, or too large.
    """
    text = normalise(expression)
    if not text or len(text) > LONGEST:
        raise ToolError("bad_arguments", f"expression: write between 1 and {LONGEST} characters of arithmetic.")
    left, equals, right = text.partition("=")
    if equals and right.strip() not in ("", "?"):
        return _solve(_parse(left), _parse(right))
    return _write(_parse(left))


def normalise(expression: str) -> str:
    """Replace the signs that people and slides use by the ones of the grammar."""
    text = expression.strip().rstrip("?").rstrip()
    for sign, replacement in SPELLINGS.items():
        text = text.replace(sign, replacement)
    text = re.sub(r"(?<=\d)\s*[xX]\s*(?=\d)", "*", text)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"[$€£]\s*(?=\d)", "", text)
    return re.sub(r"(\d+(?:\.\d+)?)\s*%", r"(\1/100)", text)


def _parse(text: str) -> Any:
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return _build(tree.body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ToolError("bad_arguments", f"expression: {text.strip()!r} is not arithmetic that can be read.") from error


def _build(node: ast.AST) -> Any:
    import sympy

    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return sympy.Integer(value) if isinstance(value, int) else sympy.Rational(str(value))
        case ast.Name(id=name):
            return getattr(sympy, CONSTANTS[name]) if name in CONSTANTS else sympy.Symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_build(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _build(operand)
        case ast.BinOp(left=left, op=operator, right=right):
            return _combine(_build(left), operator, _build(right))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return _apply(name, _build(argument))
    raise ToolError("bad_arguments", f"expression: {ast.unparse(node)!r} is not arithmetic; functions: {', '.join(FUNCTIONS)}.")


def _combine(left: Any, operator: ast.operator, right: Any) -> Any:
    operations: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
        ast.Add: lambda a, b: a + b,
        ast.Sub: lambda a, b: a - b,
        ast.Mult: lambda a, b: a * b,
        ast.Div: lambda a, b: a / b,
        ast.FloorDiv: lambda a, b: a // b,
        ast.Mod: lambda a, b: a % b,
        ast.Pow: _power,
    }
    if type(operator) not in operations:
        raise ToolError("bad_arguments", "expression: use + - * / // % ** and brackets.")
    if isinstance(operator, ast.Div | ast.FloorDiv | ast.Mod) and right.is_zero:
        raise ToolError("bad_arguments", "expression: division by zero.")
    return operations[type(operator)](left, right)


def _power(base: Any, exponent: Any) -> Any:
    if base.is_number and exponent.is_number and base not in (0, 1, -1):
        digits = abs(float(exponent)) * max(1, len(str(base)))
        if digits > MOST_DIGITS:
            raise ToolError("refused", f"The result would have more than {MOST_DIGITS} digits.")
    return base**exponent


def _apply(name: str, argument: Any) -> Any:
    import sympy

    if name == "factorial" and not (argument.is_integer and 0 <= argument <= 1_000):
        raise ToolError("refused", "factorial takes whole numbers from 0 to 1000.")
    return sympy.Abs(argument) if name == "abs" else getattr(sympy, name)(argument)


def _solve(left: Any, right: Any) -> str:
    import sympy

    unknowns = sorted((left - right).free_symbols, key=str)
    if not unknowns:
        return "true" if sympy.simplify(left - right) == 0 else "false"
    if len(unknowns) > 1:
        raise ToolError("bad_arguments", f"expression: an equation needs one unknown, this has {len(unknowns)}.")
    solutions = sympy.solve(left - right, unknowns[0])
    return ", ".join(f"{unknowns[0]} = {_write(solution)}" for solution in solutions) or "no solution"


def _write(value: Any) -> str:
    import sympy

    value = sympy.simplify(value)
    if not value.is_number or value.is_integer:
        return str(value)
    decimal = str(sympy.N(value, 12)).rstrip("0").rstrip(".")
    exact = value.is_Rational and sympy.Rational(decimal) == value
    return decimal if exact else f"{value} = {decimal}"
