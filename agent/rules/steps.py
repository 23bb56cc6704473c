"""Plans of several steps: a generator yields the calls it waits for, is sent their results and returns what it finds.

A sub-question is a generator too, which another goes through by `yield from`: "the price shown before the applause"
first finds the applause, then reads. Nothing is kept between two moves: a plan is played again from its beginning over
the results that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from itertools import takewhile
from typing import TypeVar

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, Move, not_found

T = TypeVar("T")
Steps = Generator[list[Call], list[Done], T]
Plan = Callable[[Orientation, Sequence[Done]], Move]


def play(steps: Steps[str], done: Sequence[Done]) -> Move:
    """The calls that a plan waits for after these results, or its draft.

    Calls of a round that came to nothing, because their tool is switched off, have no results and are not made again.
    """
    waiting, made = list(done), list[Done]()
    results: list[Done] | None = None
    while True:
        try:
            calls = steps.send(results) if results is not None else next(steps)
        except StopIteration as end:
            return str(end.value)
        known = [step.call for step in made]
        new = [call for call in calls if call not in known]
        begun = _begun(new, waiting)
        if new and not begun:
            return new
        made, waiting = made + begun, waiting[len(begun) :]
        results = [step for step in made if step.call in calls]


def _begun(calls: Sequence[Call], waiting: Sequence[Done]) -> list[Done]:
    """The results of a round of these calls, if it is the next that was made."""
    return list(takewhile(lambda step: step.call in calls, waiting))


def ask(plan: Plan, orientation: Orientation) -> Steps[str]:
    """A plan that is written as a function of all its results so far."""
    done: list[Done] = []
    while isinstance(move := plan(orientation, done), list):
        if not move:
            return not_found("The time asked about is in none of the videos.")
        if all(call in (step.call for step in done) for call in move):
            return not_found("Asking again for what is known already tells nothing more.")
        done += yield move
    return move


def together(several: Sequence[Steps[T]]) -> Steps[list[T]]:
    """What each of several finds; the calls of all are made in the same rounds."""
    found: dict[int, T] = {}
    results: dict[int, list[Done]] = {}
    while len(found) < len(several):
        calls: dict[int, list[Call]] = {}
        for place, steps in enumerate(several):
            if place not in found:
                try:
                    calls[place] = steps.send(results[place]) if place in results else next(steps)
                except StopIteration as end:
                    found[place] = end.value
        asked = [call for each in calls.values() for call in each]
        done = (yield [call for number, call in enumerate(asked) if call not in asked[:number]]) if asked else []
        results = {place: [step for step in done if step.call in each] for place, each in calls.items()}
    return [found[place] for place in range(len(several))]
