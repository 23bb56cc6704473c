"""The items of a set as `eval build review` shows them, and how it reads what is typed."""

from __future__ import annotations

from collections.abc import Iterator

from longtake.cli.eval.reviewing import Waiting, typed
from longtake.console import say
from longtake.evalharness.building.built_item import BuiltCriterion, BuiltItem, BuiltTurn
from longtake.evalharness.building.checking import CheckedTurn, Decided, SetDecision

_DECISIONS: dict[str, Decided] = {"a": "accept", "c": "correct", "d": "drop"}
_KEYS = "[a]ccept, [c]orrect, [d]rop with the reason after it, [s]kip, [q]uit"


def waiting(item: BuiltItem) -> Waiting[SetDecision]:
    """An item to decide about."""
    return Waiting(item.id, tuple(_lines(item)), _KEYS, lambda words: _read(item, words))


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


def _read(item: BuiltItem, words: str) -> SetDecision | str:
    word, _, reason = words.partition(" ")
    decided = _DECISIONS.get(word[:1].lower())
    if decided is None:
        return "answer with one of these letters"
    turns = tuple(map(_corrected, item.turns)) if decided == "correct" else ()
    decision = SetDecision(item=item.id, hash=item.hash, decision=decided, reason=reason.strip(), turns=turns)
    return decision.fault(item) or decision


def _corrected(turn: BuiltTurn) -> CheckedTurn:
    """A turn as the person words it; an empty line keeps a text, and - leaves a criterion out."""
    say("  An empty line keeps a text, and - leaves a criterion out.")
    question = typed(f"  question: {turn.question}\n  > ") or turn.question
    answer = typed(f"  answer: {turn.answer}\n  > ") or turn.answer
    criteria = list[BuiltCriterion]()
    for each in turn.criteria:
        said = typed(f"  {each.category}: {each.description}\n  > ")
        if said != "-":
            criteria.append(each.model_copy(update={"description": said or each.description}))
    return CheckedTurn(question=question, answer=answer, criteria=tuple(criteria))
