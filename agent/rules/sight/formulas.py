"""Questions about a formula that is written in the picture: what it is, and what it comes to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longtake.agent.orientation import ORDINALS, Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import (
    Call,
    Done,
    Move,
    called,
    cite,
    evidence_from,
    failures,
    not_found,
    on_each,
    quote,
    trusted,
)
from longtake.agent.rules.sight.seeing import without_tools
from longtake.agent.words import cue
from longtake.memory.records import Evidence

TOOL = "extract_math_exp"
CALCULATOR = "calculator"
MOST = 3
_FORMULA = cue("formula, formulas, formulae, equation, equations, mathematical expression, mathematical expressions")
# What no formula answers, though one is named: who found it, when it was written, whether it was explained.
_ANOTHER = re.compile(
    r"^\W*(?:(?:at|by|for|from|in|on|since|to|until|with) )?"
    r"(?:who|whom|whose|when|where|why|how|(?:what|which) (?:year|day|date|time|month|century|person|place))\b"
    r"|^\W*(?:is|are|was|were|do|does|did|has|have)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(rf"\b({'|'.join(ORDINALS)}) (?:formula|equation)\b", re.IGNORECASE)
_COMES_TO = re.compile(
    r"\bwhat is [a-z]\b|\b(?:solve|solutions?|results?|roots?|work out|"
    r"calculate|compute|evaluate|comes? to|value|equals?)\b",
    re.IGNORECASE,
)


def asks_formula(orientation: Orientation) -> bool:
    """Whether a question is about a formula or an equation that can be read."""
    named = _FORMULA.search(orientation.question) and not _ANOTHER.match(orientation.question)
    return bool(named) and not {"speech", "audio"} & set(orientation.modalities)


def find_formula(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Quote the formulas; where the question wants what they come to, the calculator works it out."""
    if not called(done, TOOL):
        return on_each(orientation, TOOL)
    lines = trusted(evidence_from(done, TOOL))
    number = _NUMBERED.search(orientation.question)
    if number:
        place = ORDINALS[number[1].casefold()]
        lines = lines[place:][:1] if place < len(lines) else []
    if not lines:
        return find_fact(orientation, without_tools(done, TOOL))
    valued = list(_valued(done, lines))[:MOST]
    if not _COMES_TO.search(orientation.question) or not valued:
        return quote(lines, orientation)
    if not called(done, CALCULATOR):
        return [Call(CALCULATOR, {"expression": expression}) for expression, _ in valued]
    worked = [step for step in done if step.call.name == CALCULATOR and not step.result.failure]
    shown = dict(valued)
    results = [(shown[step.call.arguments["expression"]], step.result.output["result"]) for step in worked]
    if not results:
        return not_found(" ".join(failures(done)))
    return " ".join(f"“{line.content}” gives {result} {cite(line, orientation)}." for line, result in results)


def _valued(done: Sequence[Done], lines: Sequence[Evidence]) -> Iterator[tuple[str, Evidence]]:
    """The expressions that have a value, each with the line in which it was seen."""
    for step in done:
        for found in step.result.output.get("expressions", ()) if step.call.name == TOOL else ():
            line = next((line for line in lines if found["seen"] in line.content), None)
            if line and "value" in found:
                yield found["expression"], line
