"""What people decide about the items of a set: decisions in `SET/review.jsonl`, the last of an item counts.

A page shows the items, too; what is decided there is saved as a file for `--decisions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from pydantic import Field, ValidationError

from longtake.evalharness.building.built_item import BuiltCriterion, BuiltItem, Priority
from longtake.evalharness.building.replies import MOST_CRITERIA, RubricReply
from longtake.evalharness.building.stages import Dropped
from longtake.evalharness.reports.template import page
from longtake.evalharness.runs.decisions import ItemDecision
from longtake.evalharness.runs.journal import wrong_field
from longtake.memory.records import Record

STAGE = "review"
Decided = Literal["accept", "correct", "drop"]


class CheckedTurn(Record):
    """A turn as a person corrected it."""

    question: str
    answer: str
    criteria: tuple[BuiltCriterion, ...]


class SetDecision(ItemDecision):
    """What a person decided about an item; a decision to drop it has a reason, one to correct it the turns."""

    hash: str = Field(description="Of the item as the person saw it.")
    decision: Decided
    reason: str = ""
    turns: tuple[CheckedTurn, ...] = ()

    def fault(self, item: BuiltItem) -> str:
        """What is wrong with the decision on an item; nothing if it can be followed."""
        if self.decision == "drop":
            return "" if self.reason.strip() else "dropping an item needs a reason"
        if self.decision == "accept":
            return ""
        if len(self.turns) != len(item.turns):
            return f"it has {len(self.turns)} turns, and the item {len(item.turns)}"
        for number, turn in enumerate(self.turns, 1):
            if not (turn.question.strip() and turn.answer.strip()):
                return f"turn {number} needs a question and an answer"
            try:
                RubricReply.model_validate({"criteria": [criterion.model_dump() for criterion in turn.criteria]})
            except ValidationError as error:
                return f"turn {number}, {wrong_field(error)}"
        return ""


def fault_in(items: Sequence[BuiltItem], decision: SetDecision) -> str:
    """What is wrong with a decision about one of these items; nothing if it can be followed."""
    item = next((item for item in items if item.id == decision.item), None)
    if item is None or item.hash != decision.hash:
        return "the set has no such item, or it is another one by now"
    return decision.fault(item)


class CheckedSet(NamedTuple):
    """A set after people looked at it: the items that stay, those they dropped, and the decisions by kind."""

    items: list[BuiltItem]
    dropped: list[Dropped]
    decisions: Mapping[Decided, int]


def valid(items: Sequence[BuiltItem], decisions: Mapping[str, SetDecision]) -> dict[str, SetDecision]:
    """The decisions on items that are still as the person saw them."""
    hashes = {item.id: item.hash for item in items}
    return {name: each for name, each in decisions.items() if hashes.get(name) == each.hash}


def checked(items: Sequence[BuiltItem], decisions: Mapping[str, SetDecision]) -> CheckedSet:
    """Follow the decisions that are valid."""
    followed = valid(items, decisions)
    kept, dropped = list[BuiltItem](), list[Dropped]()
    for item in items:
        decision = followed.get(item.id)
        if decision and decision.decision == "drop":
            dropped.append(Dropped(of=item.id, stage=STAGE, why=decision.reason))
        else:
            kept.append(_corrected(item, decision) if decision and decision.decision == "correct" else item)
    counts: dict[Decided, int] = {"accept": 0, "correct": 0, "drop": 0}
    for each in followed.values():
        counts[each.decision] += 1
    return CheckedSet(kept, dropped, counts)


def _corrected(item: BuiltItem, decision: SetDecision) -> BuiltItem:
    """The item with its corrections. With another question or answer, its tool calls and marks hold no longer."""
    turns = [
        turn.model_copy(
            update={"question": said.question.strip(), "answer": said.answer.strip(), "criteria": said.criteria}
        )
        for turn, said in zip(item.turns, decision.turns, strict=True)
    ]
    if [(turn.question, turn.answer) for turn in turns] != [(turn.question, turn.answer) for turn in item.turns]:
        turns = [turn.model_copy(update={"calls": (), "blind": False}) for turn in turns]
    return item.with_turns(turns)


def check_page(items: Sequence[BuiltItem], folder: Path) -> Iterator[str]:
    """The page in pieces. It needs no server and asks for nothing from elsewhere."""
    return page(
        "review.html",
        part="built_item.html",
        title=f"Review of {folder.resolve().name}",
        how="Accept an item as it stands, change its texts before you accept it, or drop it with a reason. A criterion "
        "without a description goes.",
        command=f"longtake eval build review {folder}",
        folder=str(folder.resolve()),
        items=items,
        addresses={item.id: _address(item) for item in items},
        categories=get_args(Priority),
        most=MOST_CRITERIA,
    )


def _address(item: BuiltItem) -> str:
    """The video from the first moment that an answer names."""
    spans = item.turns[0].spans
    return f"{Path(item.path).absolute().as_uri()}#t={spans[0].start if spans else 0:g}"
