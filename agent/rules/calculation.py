"""Questions to be worked out: a sum or an equation, in the question or in the picture."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import (
    READER,
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
from longtake.agent.rules.slides import slides_of, title_of
from longtake.agent.words import cue

_CALCULATION = cue("sum, calculation*, expression*, arithmetic, computation*")
_SHOWN = cue(
    "slide, screen, picture, video, board, shown, shows, show, written, displayed, read, seen, stands, appears, there"
)
_VALUE = cue(
    "result*, value, comes, come, came, amounts, amount, answer, work out, worked out, calculate, compute, evaluate, "
    "solve, solution, gives, give, equal, equals, makes, make, yields, how much, outcome, total"
)
_ANOTHER = re.compile(
    r"^\W*(?:who|whose|where|when|why|how (?:many|often|long)|is|are|was|were|do|does|did)\b|\b(?:faces?|facial)\b",
    re.I,
)


def asks_calculation(orientation: Orientation) -> bool:
    """Whether a question asks for a sum that is written, or for what it comes to."""
    question = orientation.question
    about = _CALCULATION.search(question) and (_SHOWN.search(question) or _VALUE.search(question))
    return bool(about) and not _ANOTHER.search(question) and not {"speech", "audio"} & set(orientation.modalities)


def calculate(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The result of what a question asks to work out, or of the sum that the picture shows."""
    if called(done, "calculator"):
        return _worked_out(orientation, done)
    own = arithmetic_in(orientation.question)
    if own and arithmetic_in(orientation.question.replace(own, " ")):
        return not_found("The question holds several sums: ask for one, in one line of arithmetic.")
    if own:
        return [Call("calculator", {"expression": own})]
    if not called(done, READER):
        return on_each(orientation, READER)
    read = within(trusted(evidence_from(done, READER)), orientation)
    sums = {text: item for item in reversed(read) if (text := arithmetic_in(item.content))}
    if len(sums) > 1 and orientation.quoted:
        named = [
            item for slide in slides_of(read) if orientation.quoted[0] in title_of(slide).content for item in slide
        ]
        sums = {text: item for text, item in sums.items() if item in named}
    if len(sums) > 1:
        return not_found(f"Several sums are shown: {quote(reversed(sums.values()), orientation)}")
    if sums and _SHOWN.search(orientation.question) and not _VALUE.search(orientation.question):
        return quote(sums.values(), orientation)
    if sums:
        return [Call("calculator", {"expression": text}) for text in sums]
    return find_fact(orientation, done)


def _worked_out(orientation: Orientation, done: Sequence[Done]) -> Move:
    last = next(step for step in reversed(done) if step.call.name == "calculator")
    if last.result.failure:
        return not_found(last.result.failure.message)
    expression = str(last.call.arguments["expression"])
    read = trusted(evidence_from(done, READER))
    shown = [item for item in read if arithmetic_in(item.content) == expression]
    mark = cite(shown[0], orientation) if shown else ""
    joint = ": " if "=" in expression else " = "
    return f"{expression}{joint}{last.result.output['result']} {mark}".strip()
