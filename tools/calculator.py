"""`calculator`, and what people and slides write instead of plain arithmetic."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated

from pydantic import Field

from longtake.tools.context import ToolContext
from longtake.tools.registry import tool
from longtake.tools.result import ToolError, ToolResult

LONGEST = 500
# Before Unicode's compatibility forms, which would turn x² into x2; they turn ＋, （ and １ into plain signs.
_SIGNS = str.maketrans(
    {"²": "**2", "³": "**3", "×": "*", "·": "*", "∙": "*", "⋅": "*", "∗": "*", "÷": "/", "π": " pi "}
)
_PLAIN = str.maketrans({"−": "-", "–": "-", "⁄": "/", "∕": "/", "^": "**"} | dict.fromkeys("$€£¥"))
_VALUE_ENDS, _VALUE_STARTS = r"(?<=[\d).])", r"(?=[\d(.])"
# In this order: a later spelling may rest on an earlier one.
_SPELLINGS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"==+", "="),
        (r"(?<=\d)[, ](?=\d{3}(?!\d))", ""),  # 1,234,567
        (r"(?<![\w.])0+(?=\d)", ""),  # 007
        (r"√\s*(\d+(?:\.\d+)?|[a-zA-Z])", r"sqrt(\1)"),
        (r"√", "sqrt"),
        (r"(\d+)\s*!(?!=)", r"factorial(\1)"),
        (r"(\d+(?:\.\d+)?)\s*%\s*of\b", r"(\1/100)*"),
        (r"(\d+(?:\.\d+)?)\s*%(?!\s*[\w(.])", r"(\1/100)"),  # before a value it is the remainder
        (r"(?<=\d)\s*[xX]\s*(?=\d)", "*"),  # 37x12
        (rf"{_VALUE_ENDS}\s+[xX]\s+{_VALUE_STARTS}", "*"),
        (r"(?<=[\d)])\s*(?=[a-zA-Z(])(?![eE][+-]?\d)", "*"),  # 2x, 3(4+1), (a)(b)
    )
)


@tool()
def calculator(
    context: ToolContext,
    expression: Annotated[str, Field(description="Such as '37*12+56', 'sqrt(2)*3' or an equation '2*x + 3 = 11'.")],
) -> ToolResult:
    """Work out arithmetic, or solve an equation for its one unknown."""
    return ToolResult(tool="calculator", output={"result": evaluate(expression)})


def evaluate(expression: str) -> str:
    """The exact result, with a decimal value where it is not whole; for an equation its real solutions.

    Raises:
        ToolError: when the expression is not arithmetic, or what it means is too large to work out.
    """
    from longtake.tools.algebra import read, write
    from longtake.tools.equations import solve

    if not expression.strip() or len(expression) > LONGEST:
        raise ToolError("bad_arguments", f"expression: write between 1 and {LONGEST} characters of arithmetic.")
    left, _, right = normalise(expression).partition("=")
    try:
        return solve(read(left), read(right)) if right.strip() else write(read(left))
    except (ArithmeticError, TypeError, ValueError) as error:  # how sympy says that it cannot decide or evaluate
        raise ToolError("refused", "expression: its value cannot be told with certainty.") from error


def normalise(expression: str) -> str:
    """Replace the signs that people and slides use by those of the grammar; a closing `= ?` is left out."""
    text = unicodedata.normalize("NFKC", expression.translate(_SIGNS)).translate(_PLAIN)
    text = text.strip().rstrip("?").strip()
    for pattern, replacement in _SPELLINGS:
        text = pattern.sub(replacement, text)
    return text
