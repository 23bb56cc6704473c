"""Questions about a formula that is written in the picture: what it is, and what it comes to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import Call, Done, Move, called, cite, evidence_from, on_each, quote, trusted
from longtake.agent.rules.seeing import without_tools
from longtake.agent.words import cue
from longtake.memory.records import Evidence

TOOL = "extract_math_exp"
CALCULATOR = "calculator"
MOST = 3
_FORMULA = cue("formula, formulas, formulae, equation, equations, mathematical expression, mathematical expressions")
_COMES_TO = re.compile(
    r"\b(?:solve|solutions?|results?|roots?|work out|calculate|compute|evaluate|comes? to|value|equals?)\b",
    re.IGNORECASE,
)


def asks_formula(orientation: Orientation) -> bool:
    """Whether a question is about a formula or an equation that can be read."""
    return bool(_FORMULA.search(orientation.question)) and not {"speech", "audio"} & set(orientation.modalities)


def find_formula(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Quote the formulas; where the question wants what they come to, the calculator works it out."""
    if not called(done, TOOL):
        return on_each(orientation, TOOL)
    lines = trusted(evidence_from(done, TOOL))
    if not lines:
        return find_fact(orientation, without_tools(done, TOOL), senses=("scene_text", "speech"))
    valued = list(_valued(done, lines))[:MOST]
    if not _COMES_TO.search(orientation.question) or not valued:
        return quote(lines, orientation)
    if not called(done, CALCULATOR):
        return [Call(CALCULATOR, {"expression": expression}) for expression, _ in valued]
    worked = [step for step in done if step.call.name == CALCULATOR and not step.result.failure]
    shown = dict(valued)
    results = [(shown[step.call.arguments["expression"]], step.result.output["result"]) for step in worked]
    return " ".join(f"“{line.content}” gives {result} {cite(line, orientation)}." for line, result in results)


def _valued(done: Sequence[Done], lines: Sequence[Evidence]) -> Iterator[tuple[str, Evidence]]:
    """The expressions that have a value, each with the line in which it was seen."""
    for step in done:
        for found in step.result.output.get("expressions", ()) if step.call.name == TOOL else ():
            line = next((line for line in lines if found["seen"] in line.content), None)
            if line and "value" in found:
                yield found["expression"], line
