"""What people decide about items of an audit: verdicts in `review.jsonl` in its run folder, the last of an item counts.

The queue has the items that only shuffled frames flag (the paper's sensitivity check: those that do need the order of
events are restored), those whose question may be unclear, and those whose category the vote left open.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from longtake.evalharness.audit.consensus import Ambiguity
from longtake.evalharness.runs.decisions import ItemDecision
from longtake.evalharness.runs.run_folder import RunFolder

Decision = Literal["keep", "drop", "rewrite"]
Reason = Literal["order-free", "all-differ", "redundant", "no-majority", "no-category"]
WHY: Mapping[Reason, str] = {
    "order-free": "only shuffled frames solve it: keep it if it needs the order of events all the same",
    "all-differ": "every model chose another option: drop it if the question is unclear or its answer wrong",
    "redundant": "every part of the video alone gives the answer: drop it if one moment is enough",
    "no-majority": "no option has more than half of the models: drop it if the question is unclear",
    "no-category": "the vote gave it no category: name one",
}


class AuditDecision(ItemDecision):
    """What a person decided about an item."""

    decision: Decision
    category: str = Field(default="", description="Named by the person where the vote left it open.")
    note: str = ""


def lacks_category(verdict: AuditDecision, reasons: Collection[Reason]) -> bool:
    """Whether a verdict keeps an item that the vote left without a category, and names none either."""
    return "no-category" in reasons and verdict.decision == "keep" and not verdict.category


def fault_in(queued: Mapping[str, Collection[Reason]], verdict: AuditDecision) -> str:
    """What is wrong with a verdict on one of the items for review; nothing if it can be followed."""
    if verdict.item not in queued:
        return "it isn't up for review"
    return "the vote gave it no category, so it needs one" if lacks_category(verdict, queued[verdict.item]) else ""


def review_file(audit: RunFolder) -> Path:
    """Where the verdicts on an audit are."""
    return audit.path / "review.jsonl"


def queue(
    found: Ambiguity, shortcuts: Collection[str], uncategorised: Collection[str]
) -> dict[str, tuple[Reason, ...]]:
    """The items that people should look at, each with the reasons, without those that go as shortcuts anyway."""
    reasons: tuple[tuple[Reason, Collection[str]], ...] = (
        ("order-free", found.order_free),
        ("all-differ", found.all_differ),
        ("redundant", found.redundant),
        ("no-majority", found.no_majority),
        ("no-category", uncategorised),
    )
    queued: dict[str, tuple[Reason, ...]] = {}
    for reason, names in reasons:
        for name in names:
            if name not in shortcuts or name in found.order_free:
                queued[name] = (*queued.get(name, ()), reason)
    return queued
