"""`longtake eval audit review`: show one item after another, and write down what a person decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from longtake.console import counted, say
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.categories import CATEGORIES
from longtake.evalharness.audit.review import WHY, Decision, Reason, Verdict
from longtake.evalharness.items import Item
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.views.standard import Standard
from longtake.memory.timespan import clock

_DECISIONS: dict[str, Decision] = {"k": "keep", "d": "drop", "r": "rewrite"}
_KEYS = "[k]eep, [d]rop, [r]ewrite later, [s]kip, [q]uit; a note may follow"


class Reviewed(NamedTuple):
    """How a session of reviewing ended."""

    decided: int
    left: int


def review(state: AuditState, record: Callable[[Verdict], None]) -> Reviewed:
    """Ask about each item without a verdict until all are decided or the person stops.

    Args:
        state: the audit.
        record: called with each verdict at once.
    """
    waiting = [(name, reasons) for name, reasons in state.queue.items() if name not in state.verdicts]
    decided = 0
    for number, (name, reasons) in enumerate(waiting, 1):
        say(f"{number} of {len(waiting)}  {name}")
        for line in _shown(state, state.replies.items[name], reasons):
            say(f"  {line}")
        verdict = _asked(name, needs_category="no-category" in reasons)
        if verdict == "quit":
            break
        if isinstance(verdict, Verdict):
            record(verdict)
            decided += 1
        say()
    return Reviewed(decided, len(waiting) - decided)


def _shown(state: AuditState, item: Item, reasons: tuple[Reason, ...]) -> Iterator[str]:
    turn = item.turns[0]
    yield from (f"{reason}: {WHY[reason]}" for reason in reasons)
    if tests := state.scores.shortcuts.flagged.get(item.id):
        yield f"flagged by {', '.join(tests)}"
    yield turn.question
    for place, option in enumerate(turn.options):
        yield f"{'*' if place == turn.gold else ' '} {LABELS[place]}. {option}"
    spans = ", ".join(f"{clock(span.start)} to {clock(span.end)}" for span in turn.evidence)
    yield f"video: {item.media or item.video}{f', {spans}' if spans else ''}"
    chose = (
        (model, state.replies.choices(Standard.name, model).get(item.id))
        for model in state.replies.asked_in(Standard.name)
    )
    yield "with the whole video: " + ", ".join(
        f"{model} {'none' if place is None else LABELS[place]}" for model, place in chose
    )


def _asked(name: str, *, needs_category: bool) -> Verdict | str:
    """A verdict, `skip` or `quit`."""
    category = ""
    if needs_category:
        for number, (each, meaning) in enumerate(CATEGORIES.items(), 1):
            say(f"  {number}  {each}: {meaning}")
    while True:
        word, _, note = _line(f"{_KEYS}{'; first a number names the category' if needs_category else ''} > ").partition(
            " "
        )
        if needs_category and word.isdigit() and 1 <= int(word) <= len(CATEGORIES):
            category = tuple(CATEGORIES)[int(word) - 1]
            word, _, note = note.strip().partition(" ")
        decision = _DECISIONS.get(word[:1].lower())
        if decision and (category or not needs_category or decision != "keep"):
            return Verdict(item=name, decision=decision, category=category, note=note.strip())
        if word[:1].lower() in ("s", "q"):
            return "skip" if word[:1].lower() == "s" else "quit"
        say("  Answer with one of these letters" + (", after the number of a category." if needs_category else "."))


def _line(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except EOFError:
        return "q"


def show_reviewed(done: Reviewed) -> str:
    """What was done, in a sentence."""
    return f"{counted(done.decided, 'verdict')} recorded, {counted(done.left, 'item')} left"
