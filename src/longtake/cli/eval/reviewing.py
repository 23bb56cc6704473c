"""Shows one item after another, and writes down what a person decides: `eval audit review` and `eval build review`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from longtake.console import say
from longtake.evalharness.audit.review import AuditDecision, Decision, lacks_category
from longtake.evalharness.audit.review_page import ShownItem
from longtake.evalharness.building.built_item import BuiltCriterion, BuiltItem, BuiltTurn
from longtake.evalharness.building.checking import CheckedTurn, Decided, SetDecision
from longtake.evalharness.runs.decisions import ItemDecision
from longtake.evalharness.scoring.choices import LABELS
from longtake.memory.timespan import clock

D = TypeVar("D", bound=ItemDecision)
_VERDICTS: dict[str, Decision] = {"k": "keep", "d": "drop", "r": "rewrite"}
_VERDICT_KEYS = "[k]eep, [d]rop, [r]ewrite later, [s]kip, [q]uit; a note may follow"
_DECISIONS: dict[str, Decided] = {"a": "accept", "c": "correct", "d": "drop"}
_KEYS = "[a]ccept, [c]orrect, [d]rop with the reason after it, [s]kip, [q]uit"


class Waiting(NamedTuple, Generic[D]):
    """An item to decide about."""

    id: str
    lines: Sequence[str]
    keys: str  # what can be typed, beside s to skip and q to quit
    read: Callable[[str], D | str]  # the decision that was typed, or what is wrong with it


def review(items: Sequence[Waiting[D]], write: Callable[[D], None]) -> int:
    """Ask about each item until all are decided or the person stops, and write each at once; how many were decided."""
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


def audited(shown: ShownItem) -> Waiting[AuditDecision]:
    """An item of an audit."""
    keys = f"{_VERDICT_KEYS}{'; first a number names the category' if shown.categories else ''}"
    return Waiting(shown.item.id, tuple(_lines_of_audited(shown)), keys, lambda words: _verdict(shown, words))


def _lines_of_audited(shown: ShownItem) -> Iterator[str]:
    item, turn = shown.item, shown.item.turns[0]
    yield from (*shown.why, turn.question)
    for place, option in enumerate(turn.options):
        yield f"{'*' if place == turn.gold else ' '} {LABELS[place]}. {option}"
    spans = ", ".join(f"{clock(span.start)} to {clock(span.end)}" for span in turn.evidence)
    yield f"video: {item.media or item.video}{f', {spans}' if spans else ''}"
    yield shown.chose
    for number, (name, meaning) in enumerate(shown.categories.items(), 1):
        yield f"{number}  {name}: {meaning}"


def _verdict(shown: ShownItem, words: str) -> AuditDecision | str:
    names = list(shown.categories)
    category, rest = "", words
    word, _, after = words.partition(" ")
    if word.isdigit() and 1 <= int(word) <= len(names):
        category, rest = names[int(word) - 1], after.strip()
    word, _, note = rest.partition(" ")
    if decided := _VERDICTS.get(word[:1].lower()):
        verdict = AuditDecision(item=shown.item.id, decision=decided, category=category, note=note.strip())
        if not lacks_category(verdict, shown.reasons):
            return verdict
    return f"answer with one of these letters{', after the number of a category' if names else ''}"


def built(item: BuiltItem) -> Waiting[SetDecision]:
    """An item of a set that was built."""
    return Waiting(item.id, tuple(_lines_of_built(item)), _KEYS, lambda words: _decision(item, words))


def _lines_of_built(item: BuiltItem) -> Iterator[str]:
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


def _decision(item: BuiltItem, words: str) -> SetDecision | str:
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
