"""The distilled subset of an audited benchmark: what goes, and why.

As in Video-Oasis, the items go that are shortcuts at the consensus that counts, unless a reviewer keeps one that only
shuffled frames solve, and those that a reviewer drops or sets aside to be rewritten. So
removed = shortcuts - restored + acted on, and the paper's 13,383 = 13,777 - 804 + 213 + 197.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from pydantic import Field

from longtake.evalharness.audit.review import Reason, Verdict
from longtake.memory.records import Record


class Removed(Record):
    """An item that goes."""

    item: str
    why: str = Field(description="`shortcut`, or the check that a reviewer acted on.")
    tests: tuple[str, ...] = ()
    decision: str = Field(default="", description="Of the reviewer: drop, or rewrite.")
    note: str = ""


class Flow(Record):
    """How the items became the distilled ones; `removed` is `shortcuts` - `restored` + all of `acted_on`."""

    items: int
    shortcuts: int
    flagged: Mapping[Reason, int] = Field(description="By check: items for review; one may be of several.")
    reviewed: Mapping[Reason, int] = Field(description="Of these, those with a verdict.")
    waiting: int = Field(description="Items for review without a verdict.")
    restored: int
    acted_on: Mapping[Reason, int] = Field(description="By the first check that flags an item.")
    removed: int
    remaining: int


class Distilled(Record):
    """The outcome: the flow, and the items that go."""

    flow: Flow
    removed: tuple[Removed, ...]


def distil(
    items: Collection[str],
    shortcuts: Mapping[str, tuple[str, ...]],
    queued: Mapping[str, tuple[Reason, ...]],
    verdicts: Mapping[str, Verdict],
) -> Distilled:
    """Decide which items go.

    Args:
        items: all of them.
        shortcuts: those that the audit flags, each with its tests.
        queued: those for review, each with its reasons.
        verdicts: of the reviewers.
    """
    removed: list[Removed] = []
    acted_on: Counter[Reason] = Counter()
    restored = 0
    for name in items:
        reasons, verdict = queued.get(name, ()), verdicts.get(name)
        if name in shortcuts:
            if verdict and verdict.decision == "keep" and "order-free" in reasons:
                restored += 1
                continue
            said = {"decision": verdict.decision, "note": verdict.note} if verdict else {}
            removed.append(Removed(item=name, why="shortcut", tests=shortcuts[name], **said))
        elif reasons and verdict and verdict.decision != "keep":
            acted_on[reasons[0]] += 1
            removed.append(Removed(item=name, why=reasons[0], decision=verdict.decision, note=verdict.note))
    flow = Flow(
        items=len(items),
        shortcuts=len(shortcuts),
        flagged=Counter(reason for reasons in queued.values() for reason in reasons),
        reviewed=Counter(reason for name, reasons in queued.items() if name in verdicts for reason in reasons),
        waiting=sum(name not in verdicts for name in queued),
        restored=restored,
        acted_on=acted_on,
        removed=len(removed),
        remaining=len(items) - len(removed),
    )
    return Distilled(flow=flow, removed=tuple(removed))
