"""Shows one item after another, and writes down what a person decides: `eval audit review` and `eval build review`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from longtake.console import say
from longtake.evalharness.runs.decisions import ItemDecision

D = TypeVar("D", bound=ItemDecision)


class Waiting(NamedTuple, Generic[D]):
    """An item to decide about."""

    id: str
    lines: Sequence[str]
    keys: str  # what can be typed, beside s to skip and q to quit
    read: Callable[[str], D | str]  # the decision that was typed, or what is wrong with it


def review(items: Sequence[Waiting[D]], write: Callable[[D], None]) -> int:
    """Ask about each item until all are decided or the person stops; how many were decided.

    Args:
        items: those without a decision.
        write: called with each decision at once.
    """
    decided = 0
    for number, item in enumerate(items, 1):
        say(f"{number} of {len(items)}  {item.id}")
        for line in item.lines:
            say(f"  {line}")
        decision = _asked(item)
        if decision == "q":
            break
        if not isinstance(decision, str):
            write(decision)
            decided += 1
        say()
    return decided


def typed(prompt: str, otherwise: str = "") -> str:
    """What a person types; something else when the input has ended."""
    try:
        return input(prompt).strip()
    except EOFError:
        return otherwise


def _asked(item: Waiting[D]) -> D | str:
    """A decision, `s` or `q`."""
    while True:
        words = typed(f"{item.keys} > ", "q")
        key = words[:1].lower()
        if key and key in "sq":
            return key
        decision = item.read(words)
        if not isinstance(decision, str):
            return decision
        say(f"  {decision[:1].upper()}{decision[1:]}.")
