"""`longtake eval audit review`: show one item after another, and write down what a person decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from longtake.console import say
from longtake.errors import ConfigError
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.review import Decision, Verdict, lacks_category
from longtake.evalharness.audit.review_page import ShownItem, waiting
from longtake.evalharness.runs.journal import read_records
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choices import LABELS
from longtake.memory.timespan import clock

Write = Callable[[Verdict], None]
_DECISIONS: dict[str, Decision] = {"k": "keep", "d": "drop", "r": "rewrite"}
_KEYS = "[k]eep, [d]rop, [r]ewrite later, [s]kip, [q]uit; a note may follow"


class Reviewed(NamedTuple):
    """How a session of reviewing ended."""

    decided: int
    left: int


def review(state: AuditState, write: Write) -> Reviewed:
    """Ask about each item without a verdict until all are decided or the person stops.

    Args:
        state: the audit.
        write: called with each verdict at once.
    """
    items = waiting(state)
    decided = 0
    for number, shown in enumerate(items, 1):
        say(f"{number} of {len(items)}  {shown.item.id}")
        for line in _lines(shown):
            say(f"  {line}")
        verdict = _asked(shown)
        if verdict == "quit":
            break
        if isinstance(verdict, Verdict):
            write(verdict)
            decided += 1
        say()
    return Reviewed(decided, len(items) - decided)


def take_over(state: AuditState, file: Path, notify: Notify, write: Write) -> Reviewed:
    """Take the verdicts that the page saved in a file, without those that lack a category, which are reported.

    Raises:
        ConfigError: if it has none on an item for review.
    """
    found = []
    for verdict in read_records(file, Verdict, notify, by_hand=True):
        if lacks_category(verdict, state.queue.get(verdict.item, ())):
            notify(f"{file}, {verdict.item}: the vote gave it no category, so it needs one; the verdict was left out.")
        elif verdict.item in state.queue:
            found.append(verdict)
    if not found:
        raise ConfigError(
            f"{file} has no verdict on an item of this audit's review. Save it from the page of this run."
        )
    for verdict in found:
        write(verdict)
    left = state.queue.keys() - state.verdicts.keys() - {verdict.item for verdict in found}
    return Reviewed(len(found), len(left))


def _lines(shown: ShownItem) -> Iterator[str]:
    item, turn = shown.item, shown.item.turns[0]
    yield from (*shown.why, turn.question)
    for place, option in enumerate(turn.options):
        yield f"{'*' if place == turn.gold else ' '} {LABELS[place]}. {option}"
    spans = ", ".join(f"{clock(span.start)} to {clock(span.end)}" for span in turn.evidence)
    yield f"video: {item.media or item.video}{f', {spans}' if spans else ''}"
    yield shown.chose


def _asked(shown: ShownItem) -> Verdict | str:
    """A verdict, `skip` or `quit`."""
    category, names = "", list(shown.categories)
    for number, name in enumerate(names, 1):
        say(f"  {number}  {name}: {shown.categories[name]}")
    while True:
        word, _, note = _line(f"{_KEYS}{'; first a number names the category' if names else ''} > ").partition(" ")
        if word.isdigit() and 1 <= int(word) <= len(names):
            category = names[int(word) - 1]
            word, _, note = note.strip().partition(" ")
        key = word[:1].lower()
        decision = _DECISIONS.get(key)
        if decision:
            verdict = Verdict(item=shown.item.id, decision=decision, category=category, note=note.strip())
            if not lacks_category(verdict, shown.reasons):
                return verdict
        if key in ("s", "q"):
            return "skip" if key == "s" else "quit"
        say("  Answer with one of these letters" + (", after the number of a category." if names else "."))


def _line(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except EOFError:
        return "q"
