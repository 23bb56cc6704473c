"""Requests to run code that is given in backticks. What it prints proves nothing of a video."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, Move, called, failures, not_found

TOOL = "execute_code"
_RUN = re.compile(
    r"^\W*(?:please |can you |could you )?(?:run|execute|what does (?:this|the following) code (?:print|output))\b[^`]*"
    r"(?:```(?P<language>\w+)?\s*\n(?P<block>.+?)```|`(?P<code>[^`]+)`)",
    re.IGNORECASE | re.DOTALL,
)


def asks_code(orientation: Orientation) -> bool:
    """Whether a request gives code to run."""
    return _given(orientation) is not None


def run_code(orientation: Orientation, done: Sequence[Done]) -> Move:
    """What the code prints, as it prints it."""
    match = _given(orientation)
    assert match is not None, "asked only where there is code"
    if not called(done, TOOL):
        code = match["block"] or match["code"]
        return [Call(TOOL, {"code": code, "language": match["language"] or "python"})]
    if failures(done):
        return not_found(" ".join(failures(done)))
    result = done[-1].result
    printed = [f"{name}: “{text.strip()}”." for name, text in result.output.items() if str(text).strip()]
    notes = [f"{note[:1].upper()}{note[1:]}." for note in result.notes]
    return not_found(" ".join(["Of the video nothing was asked.", *printed, *notes]))


def _given(orientation: Orientation) -> re.Match[str] | None:
    """The code, as the person wrote it."""
    return _RUN.match(orientation.as_asked or orientation.question)
