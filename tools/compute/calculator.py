"""`calculator`, and the notations that people and slides use for arithmetic."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated

from pydantic import Field

from longtake.preprocess.engines.maths.math_tokens import in_line, one_by_one
from longtake.tools.core.registry import tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext

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
    from longtake.tools.compute.equations import solve

    left, _, right = _JUXTAPOSED.sub("*", text).partition("=")
    return solve(read(left), read(right)) if right.strip() else write(read(left))


def _timed(text: str) -> str | None:
    """The result of an expression with times; None without times."""
    from longtake.tools.compute.algebra import read
    from longtake.tools.compute.durations import in_seconds, same_time, wanted_unit, write_time

    left, _, right = text.partition("=")
    left, unit = wanted_unit(left)
    sides = [side for side in (left, right) if side.strip()]
    timed = [in_seconds(side) for side in sides]
    if timed == sides and unit is None:
        return None
    values = [read(_JUXTAPOSED.sub("*", side)) for side in timed]
    return write_time(values[0], unit) if len(values) == 1 else same_time(*values)
