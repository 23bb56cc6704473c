"""An audit with everything that was decided about it so far, and the distilled subset: what goes, and why.

As in Video-Oasis, the items go that are shortcuts at the consensus that counts, unless a reviewer keeps one that only
shuffled frames solve, and those that a reviewer drops or sets aside to be rewritten. So
removed = shortcuts - restored + acted on, and the paper's 13,383 = 13,777 - 804 + 213 + 197.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import Field

from longtake.evalharness.audit.audit_replies import AuditReplies, read_audit
from longtake.evalharness.audit.audit_scores import AuditScores, score_audit
from longtake.evalharness.audit.categories import Votes, voted
from longtake.evalharness.audit.review import AuditDecision, Reason, queue, review_file
from longtake.evalharness.runs.decisions import read_decisions
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.scoring.estimates import grouped
from longtake.lazy import cached_property
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
    verdicts: Mapping[str, AuditDecision],
) -> Distilled:
    """Decide which of the items go: of the shortcuts, each with its tests, and those for review, each with reasons."""
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


@dataclass(frozen=True)
class AuditState:
    """Replies, scores, votes and verdicts."""

    name: str
    replies: AuditReplies
    scores: AuditScores
    votes: Votes
    verdicts: Mapping[str, AuditDecision]

    @cached_property
    def queue(self) -> dict[str, tuple[Reason, ...]]:
        """The items for review."""
        return queue(self.scores.ambiguity, self.scores.shortcuts.flagged, self.votes.open)

    @cached_property
    def distilled(self) -> Distilled:
        """What goes, as far as the review has got."""
        return distil(self.replies.items, self.scores.shortcuts.flagged, self.queue, self.verdicts)

    @cached_property
    def categories(self) -> dict[str, str]:
        """The category of each item that has one: by vote, or else by a reviewer."""
        named = {name: verdict.category for name, verdict in self.verdicts.items() if verdict.category}
        return named | dict(self.votes.accepted)

    @cached_property
    def remaining(self) -> list[str]:
        """The items that remain, as far as the review has got."""
        gone = {removed.item for removed in self.distilled.removed}
        return [name for name in self.replies.items if name not in gone]

    def split(self, tag: str) -> list[AuditState]:
        """An audit for each text that its items have as a tag, such as the benchmark they came from."""
        named = grouped((item.tags.get(tag, "") or f"without {tag}", name) for name, item in self.replies.items.items())
        states = []
        for name, names in named.items():
            replies = self.replies.among(names)
            verdicts = {item: verdict for item, verdict in self.verdicts.items() if item in replies.items}
            scores = score_audit(replies, self.scores.shortcuts.level)
            states.append(AuditState(name, replies, scores, self.votes.among(replies.items), verdicts))
        return states


def audit_state(folder: RunFolder, notify: Notify, level: int | None = None) -> AuditState:
    """Read an audit; `level` models of a test must agree, or by default as many as the largest test has.

    Raises:
        ConfigError: if the run is no audit, or no test has so many models.
    """
    replies = read_audit(folder, notify)
    name = next((item.suite for item in replies.items.values()), folder.path.name)
    verdicts = read_decisions(review_file(folder), AuditDecision, notify)
    return AuditState(name, replies, score_audit(replies, level), voted(folder, notify), verdicts)
