"""`execute_code`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from longtake.preprocess.engines.sandbox.sandbox import RAN_OUT, Sandbox
from longtake.tools.core.registry import tool
from longtake.tools.core.result import ToolError, ToolResult, printable
from longtake.tools.core.tool_context import ToolContext

LANGUAGES = ("python", "python3", "py")
LONGEST = 20_000  # characters of code


@tool(capabilities=("sandbox",), quiet=("language", "inputs"))
def execute_code(
    context: ToolContext,
    code: Annotated[
        str,
        StringConstraints(min_length=1, max_length=LONGEST),
        Field(description="Source code that prints what you want to know; nothing else is returned."),
    ],
    language: Annotated[str, Field(description="'python' is the only language.")] = "python",
    inputs: Annotated[dict[str, Any] | None, Field(description="Values for the code, in the dict `inputs`.")] = None,
) -> ToolResult:
    """Run Python; returns what it prints.

    The program has no network, no files and little time.
    """
    if language.strip().lower() not in LANGUAGES:
        raise ToolError(
            "bad_arguments", f"language: only 'python' is run here, not {language!r}.", "Write it in Python."
        )
    sandbox: Sandbox = context.engines.load("sandbox")
    ran = sandbox.run(code, inputs or {}, context.budget.left, context.budget.check)
    if ran.ended.startswith(RAN_OUT):
        raise ToolError(
            "timeout",
            f"The code didn't finish: {ran.ended}.",
            "Make it do less, or raise sandbox.seconds.",
        )
    output = {"stdout": printable(ran.stdout), "stderr": printable(ran.stderr)}
    notes = [f"run by {sandbox.id}"]
    if inputs and "NameError" in output["stderr"]:
        notes.append("the values of inputs are in the dict `inputs`, as in inputs['x']")
    if ran.ended:
        notes.append(f"the code didn't finish: {ran.ended}")
    elif not any(output.values()):
        notes.append("the code printed nothing")
    return ToolResult(tool="execute_code", output=output, notes=tuple(notes))
