"""Requests to run code that is given in backticks. What it prints proves nothing of a video."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.agent.errands import RUN_CODE
from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, Move, called, failures, not_found, noted

TOOL = "execute_code"


def asks_code(orientation: Orientation) -> bool:
    """Whether a request gives code to run."""
    return RUN_CODE.match(orientation.own_words) is not None


def run_code(orientation: Orientation, done: Sequence[Done]) -> Move:
    """What the code prints, as it prints it."""
    match = RUN_CODE.match(orientation.own_words)
    assert match is not None, "asked only where there is code"
    if not called(done, TOOL):
        code = match["block"] or match["code"]
        return [Call(TOOL, {"code": code, "language": match["language"] or "python"})]
    if failures(done):
        return not_found(" ".join(failures(done)))
    printed = [f"{name}: “{text.strip()}”." for name, text in done[-1].result.output.items() if str(text).strip()]
    return not_found(" ".join(["Of the video nothing was asked.", *printed, *noted(done)]))
