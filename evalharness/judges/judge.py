"""What a judge is: something that decides whether one reply meets one criterion, or how good it is as a whole."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from longtake.evalharness.items import Criterion, Item, Reply, Turn
from longtake.memory.records import Record, Usage

# A criterion of a rubric; whether what a penalty forbids was done; whether the reply says what the reference says;
# points from 0 to 5 for how well it does. Each is a prompt of its name.
Asks = Literal["criterion", "penalty", "whole", "grade"]
MAX_POINTS = 5
NO_REPLY = "There is no reply."  # the reason of a verdict that no judge was asked for
PASS_POINTS = 3  # of 5: a reply with so many counts as right, as in the released code of Video-TT


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to decide about one reply."""

    item: Item
    number: int  # of the turn, from 0
    reply: Reply
    asks: Asks
    criterion: Criterion | None = None  # None where the reply is judged as a whole
    with_question: bool = False  # whether a model is shown the question too

    @property
    def turn(self) -> Turn:
        """What was asked, and what is known of the right answer."""
        return self.item.turns[self.number]

    @property
    def said(self) -> str:
        """The reply without what was thought aloud."""
        return self.reply.spoken

    @property
    def reference(self) -> str:
        """The right answer in words: the reference, or the right option where there is none."""
        turn = self.turn
        return turn.reference or (turn.options[turn.gold] if turn.gold is not None and turn.options else "")

    @property
    def name(self) -> str:
        """Of the criterion; empty where the reply is judged as a whole."""
        return self.criterion.name if self.criterion else ""

    @property
    def description(self) -> str:
        """What the criterion asks for; of a reply as a whole, its reference."""
        return self.criterion.description if self.criterion else self.reference

    @property
    def empty(self) -> bool:
        """Whether nothing was answered, so that no judge need be asked."""
        return self.reply.status != "ok" or not self.said


class Finding(Record):
    """What a judge found; of a penalty, `met` says that what it forbids was not done."""

    met: bool | None
    sure: bool = True
    points: float | None = None
    reason: str = ""
    error: str | None = None
    cached: bool = False
    seconds: float | None = None  # that a model took, where one was asked


class Judge(Protocol):
    """Something that decides cases."""

    id: str  # its model, and a hash of its prompts and parameters
    at_once: int  # how many cases it may be given at the same time

    def judge(self, case: Case) -> Finding:
        """Decide one case that is not empty; a judge that cannot says why in `error` and gives no verdict."""
        ...


@runtime_checkable
class SaysCost(Judge, Protocol):
    """A judge that says beforehand what it takes; the others ask no model."""

    def expected(self, case: Case) -> Usage:
        """What one case that is not empty takes; nothing is asked. How long a reply takes only a finished one tells."""
        ...


def nothing_said(case: Case) -> Finding:
    """What is found of an empty reply: it meets nothing, and does nothing that a penalty forbids."""
    return Finding(met=case.asks == "penalty", points=0.0 if case.asks == "grade" else None, reason=NO_REPLY)


def reply_hash(reply: Reply) -> str:
    """Twelve hex digits of a reply."""
    kept = reply.model_dump_json(include={"text", "status", "choice", "abstained", "calls", "cited"})
    kept += "uncertain" * reply.uncertain  # others keep the hashes under which they were judged
    return hashlib.blake2b(kept.encode(), digest_size=6).hexdigest()
