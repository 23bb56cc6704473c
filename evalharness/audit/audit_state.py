"""An audit with everything that was decided about it so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longtake.evalharness.audit.audit_replies import AuditReplies, read_audit
from longtake.evalharness.audit.audit_scores import AuditScores, score_audit
from longtake.evalharness.audit.categories import voted
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
    votes: Mapping[str, str] | None  # the accepted category by item; None if nobody has voted
    verdicts: Mapping[str, Verdict]

    @cached_property
    def queue(self) -> dict[str, tuple[Reason, ...]]:
        """The items for review."""
        return queue(self.scores.ambiguity, self.scores.shortcuts.flagged, self.votes, self.replies.items)

    @cached_property
    def distilled(self) -> Distilled:
        """What goes, as far as the review has got."""
        return distil(self.replies.items, self.scores.shortcuts.flagged, self.queue, self.verdicts)

    @cached_property
    def categories(self) -> dict[str, str]:
        """The category of each item that has one: by vote, or else by a reviewer."""
        named = {name: verdict.category for name, verdict in self.verdicts.items() if verdict.category}
        return named | dict(self.votes or {})


def audit_state(folder: RunFolder, notify: Notify) -> AuditState:
    """Read an audit.

    Raises:
        ConfigError: if the run is no audit.
    """
    replies = read_audit(folder, notify)
    name = next((item.suite for item in replies.items.values()), folder.path.name)
    return AuditState(name, replies, score_audit(replies), voted(folder, notify), verdicts(folder, notify))
