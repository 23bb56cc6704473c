"""An audit with everything that was decided about it so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from longtake.evalharness.audit.audit_replies import AuditReplies, read_audit
from longtake.evalharness.audit.audit_scores import AuditScores, score_audit
from longtake.evalharness.audit.categories import Votes, voted
from longtake.evalharness.audit.distil import Distilled, distil
from longtake.evalharness.audit.review import Reason, Verdict, queue, verdicts
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.lazy import cached_property


@dataclass(frozen=True)
class AuditState:
    """Replies, scores, votes and verdicts."""

    name: str
    replies: AuditReplies
    scores: AuditScores
    votes: Votes
    verdicts: Mapping[str, Verdict]

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
        named: dict[str, list[str]] = {}
        for name, item in self.replies.items.items():
            named.setdefault(item.tags.get(tag, ""), []).append(name)
        return [self._among(text or f"without {tag}", names) for text, names in named.items()]

    def _among(self, name: str, names: Collection[str]) -> AuditState:
        replies = self.replies.among(names)
        verdicts = {item: verdict for item, verdict in self.verdicts.items() if item in replies.items}
        scores = score_audit(replies, self.scores.shortcuts.level)
        return AuditState(name, replies, scores, self.votes.among(replies.items), verdicts)


def audit_state(folder: RunFolder, notify: Notify, level: int | None = None) -> AuditState:
    """Read an audit.

    Args:
        folder: its run.
        notify: called for lines that were left out.
        level: how many models of a test must agree; None: as many as the largest test has.

    Raises:
        ConfigError: if the run is no audit, or no test has so many models.
    """
    replies = read_audit(folder, notify)
    name = next((item.suite for item in replies.items.values()), folder.path.name)
    return AuditState(name, replies, score_audit(replies, level), voted(folder, notify), verdicts(folder, notify))
