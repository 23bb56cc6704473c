"""Questions to be worked out: a sum or an equation, in the question or in the picture."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import (
    Call,
    Done,
    Move,
    called,
    cite,
    evidence_from,
    not_found,
    on_each,
    quote,
    trusted,
    within,
)
from longtake.agent.rules.reading import arithmetic_in


def calculate(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The result of what a question asks to work out, or of the sum that the picture shows."""
    if called(done, "calculator"):
        return _worked_out(orientation, done)
    own = arithmetic_in(orientation.question)
    if own and arithmetic_in(orientation.question.replace(own, " ")):
        return not_found("The question holds several sums: ask for one, in one line of arithmetic.")
    if own:
        return [Call("calculator", {"expression": own})]
    if not called(done, "extract_scene_text"):
        return on_each(orientation, "extract_scene_text")
    read = within(trusted(evidence_from(done, "extract_scene_text")), orientation)
    sums = {text: item for item in reversed(read) if (text := arithmetic_in(item.content))}
    if len(sums) > 1:
        return not_found(f"Several sums are shown: {quote(reversed(sums.values()), orientation)}")
    if sums:
        return [Call("calculator", {"expression": text}) for text in sums]
    return find_fact(orientation, done)


def _worked_out(orientation: Orientation, done: Sequence[Done]) -> Move:
    last = next(step for step in reversed(done) if step.call.name == "calculator")
    if last.result.failure:
        return not_found(last.result.failure.message)
    expression = str(last.call.arguments["expression"])
    read = trusted(evidence_from(done, "extract_scene_text"))
    shown = [item for item in read if arithmetic_in(item.content) == expression]
    mark = cite(shown[0], orientation) if shown else ""
    joint = ": " if "=" in expression else " = "
    return f"{expression}{joint}{last.result.output['result']} {mark}".strip()
