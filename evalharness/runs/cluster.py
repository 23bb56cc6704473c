"""Subjects that reply on the workers of a Ray cluster.

Each worker makes its own subjects, from the same names and settings. Nodes may share a library, or each may have its
own at the same path. A library indexes a video for its first item.
"""

from __future__ import annotations

from collections.abc import Sequence

from longtake.cluster.pool import Pool, Worker
from longtake.console import Session, raise_if_interrupted
from longtake.evalharness.items import Item, Reply
from longtake.evalharness.subjects.subject import AskedTurn, InLanes, Subject
from longtake.evalharness.subjects.subject_table import subject_named
from longtake.offline import forbid_network


class Replier(Worker):
    """Replies for any of the subjects."""

    def __init__(self, given: Sequence[str], items: Sequence[Item], session: Session) -> None:
        super().__init__()
        if session.settings.offline:
            forbid_network()
        made = [subject_named(one, items, session, 1) for one in given]
        self._subjects = {subject.name: subject for subject in made}

    def reply(self, name: str, asked: AskedTurn) -> Reply:
        """The reply of a subject."""
        return self._subjects[name].reply(asked)


class OnCluster:
    """A subject whose replies come from a cluster; as many at once as that has workers."""

    def __init__(self, subject: Subject, pool: Pool, *, gpu: bool) -> None:
        """Take the subject, the workers, and whether a question may need a GPU."""
        self.name = subject.name
        self.at_once = pool.size
        self._subject = subject
        self._pool = pool
        self._gpu = gpu

    def reply(self, asked: AskedTurn) -> Reply:
        """As the subject replies.

        Raises:
            LongtakeError: as the subject raises it, or if one worker after the other is lost.
        """
        what = f"{self.name}, {asked.item.id}"
        reply: Reply = self._pool.run(what, "reply", self.name, asked, check=raise_if_interrupted, gpu=self._gpu)
        return reply

    def lane(self, item: Item) -> str:
        """The lane of an item, as the subject says; otherwise none waits for another."""
        return self._subject.lane(item) if isinstance(self._subject, InLanes) else item.id
