"""`extract_math_exp`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from longtake.preprocess.engines.maths.maths import Formula, MathsEngine
from longtake.tools.compute.calculator import evaluate, normalise
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.extract_scene_text import extract_scene_text


@tool(capabilities=("scene_text", "maths"), quiet=("language",))
def extract_math_exp(
    context: ToolContext,
    timestamp: Timestamp,
    language: Annotated[
        str | None, Field(description="Language code of the surrounding words; it doesn't affect the symbols.")
    ] = None,
) -> ToolResult:
    """Formulas on screen, in computable form, with values.

    The value of an equation is its solution, or whether it is true. Fractions and sums over several lines aren't read.
    """
    engine: MathsEngine = context.engines.load("maths")
    read = extract_scene_text(context, timestamp, language)
    found: dict[str, dict[str, str]] = {}
    evidence = []
    for line in read.evidence:
        formulas = engine.find(line.text)
        for formula in formulas:
            context.budget.check()
            found.setdefault(formula.plain, _described(formula))
        if formulas:
            evidence.append(line)
    notes = read.notes
    if not found and read.evidence:
        notes = (*notes, f"no mathematical expression in {len(read.evidence)} lines of text read there")
    return ToolResult(
        tool="extract_math_exp",
        output={"expressions": list(found.values())},
        evidence=tuple(evidence),
        looked_at=read.looked_at,
        notes=notes,
    )


def _described(formula: Formula) -> dict[str, str]:
    """An expression as seen and as read, with its value if that adds something."""
    described = {"seen": formula.seen, "expression": normalise(formula.plain)}
    try:
        value = evaluate(formula.plain)
    except ToolError:  # several unknowns, an inequality, no finite value
        return described
    same = value.replace(" ", "") == described["expression"].replace(" ", "")
    return described if same else described | {"value": value}
