"""`longtake eval build review`: show one item after another, and write down what a person decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from longtake.console import say
from longtake.errors import ConfigError
from longtake.evalharness.building.built_item import BuiltCriterion, BuiltItem, BuiltTurn
from longtake.evalharness.building.checking import CheckedTurn, Decided, Decision
from longtake.evalharness.runs.journal import read_records
from longtake.evalharness.runs.run_folder import Notify

Write = Callable[[Decision], None]
_DECISIONS: dict[str, Decided] = {"a": "accept", "c": "correct", "d": "drop"}
_KEYS = "[a]ccept, [c]orrect, [d]rop with the reason after it, [s]kip, [q]uit > "


def review_items(items: Sequence[BuiltItem], write: Write) -> None:
    """Ask about each item until all are decided or the person stops.

    Args:
        items: those without a decision.
        write: called with each decision at once.
    """
    for number, item in enumerate(items, 1):
        say(f"{number} of {len(items)}  {item.id}")
        for line in _lines(item):
            say(f"  {line}")
        decision = _asked(item)
        if decision == "quit":
            return
        if isinstance(decision, Decision):
            write(decision)
        say()


def take_over(items: Sequence[BuiltItem], file: Path, notify: Notify, write: Write) -> None:
    """Take the decisions that the page saved in a file, without those that can't be followed, which are reported.

    Raises:
        ConfigError: if it has none on an item of the set.
    """
    named, found = {item.id: item for item in items}, False
    for decision in read_records(file, Decision, notify):
        item = named.get(decision.item)
        if item is None or item.hash != decision.hash:
            notify(f"{file}, {decision.item}: the set has no such item, or it is another one by now.")
        elif fault := decision.fault(item):
            notify(f"{file}, {decision.item}: {fault}; the decision was left out.")
        else:
            write(decision)
            found = True
    if not found:
        raise ConfigError(f"{file} has no decision on an item of this set. Save it from the page of this set.")


def _lines(item: BuiltItem) -> Iterator[str]:
    yield f"{item.task}: {item.scenario}"
    for number, turn in enumerate(item.turns, 1):
        role = f"{turn.role}, " if turn.role else ""
        yield f"{number}. {turn.question}  ({role}difficulty {turn.difficulty}, {', '.join(turn.modalities)})"
        yield f"   {turn.answer}"
        if turn.blind:
            yield "   The model answered this without the video."
        yield from (f"   shown at {line}" for line in turn.evidence)
        yield from (f"   {each.category:<15} {each.description}" for each in turn.criteria)
    yield f"video: {item.path}"


def _asked(item: BuiltItem) -> Decision | str:
    """A decision, `skip` or `quit`."""
    while True:
        word, _, reason = _line(_KEYS, "q").partition(" ")
        key = word[:1].lower()
        if key in ("s", "q"):
            return "skip" if key == "s" else "quit"
        if key in _DECISIONS:
            turns = tuple(map(_corrected, item.turns)) if key == "c" else ()
            decision = Decision(
                item=item.id, hash=item.hash, decision=_DECISIONS[key], reason=reason.strip(), turns=turns
            )
            fault = decision.fault(item)
            if not fault:
                return decision
            say(f"  {fault[:1].upper()}{fault[1:]}.")
        else:
            say("  Answer with one of these letters.")


def _corrected(turn: BuiltTurn) -> CheckedTurn:
    """A turn as the person words it; an empty line keeps a text, and - leaves a criterion out."""
    say("  An empty line keeps a text, and - leaves a criterion out.")
    question = _line(f"  question: {turn.question}\n  > ") or turn.question
    answer = _line(f"  answer: {turn.answer}\n  > ") or turn.answer
    criteria = list[BuiltCriterion]()
    for each in turn.criteria:
        said = _line(f"  {each.category}: {each.description}\n  > ")
        if said != "-":
            criteria.append(each.model_copy(update={"description": said or each.description}))
    return CheckedTurn(question=question, answer=answer, criteria=tuple(criteria))


def _line(prompt: str, otherwise: str = "") -> str:
    """What a person types; something else when the input has ended."""
    try:
        return input(prompt).strip()
    except EOFError:
        return otherwise
