"""The protocol of judges: one decides whether a reply meets a criterion, or how good it is as a whole."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from longtake.evalharness.items import Criterion, Item, Reply, Turn
from longtake.memory.records import Record, Usage

# A criterion of a rubric; whether what a penalty forbids was done; whether the reply says what the reference says;
# points from 0 to 5 for how well it does. Of stress tests: how clearly the replies about an altered video, or about an
# untouched one, say that it was altered; whether a reply recognises a blank video; whether it tells only what a gap
# left; whether it says something. Each is a prompt of its name.
Asks = Literal["criterion", "penalty", "whole", "grade", "altered", "untouched", "blank", "gap", "says"]
# The scores from 0 to 1 that meet a criterion: as in REVEAL, a vague alarm is one, rightly or not; nothing else is half
# right.
SCORED: Mapping[Asks, Callable[[float], bool]] = {
    "altered": lambda score: score > 0,
    "untouched": lambda score: score == 0,
    "blank": lambda score: score == 1,
    "gap": lambda score: score == 1,
}
MAX_POINTS = 5
NO_REPLY = "There is no reply."  # the reason for a verdict without a judge
PASS_POINTS = 3  # of 5: a reply with this many counts as right, as in the released code of Video-TT


@dataclass(frozen=True, slots=True)
class Case:
    """One decision about one reply."""

    item: Item
    number: int  # of the turn, from 0; `ALL_TURNS` (-1) has the criteria of the last one
    reply: Reply
    asks: Asks
    criterion: Criterion | None = None  # None if the reply is judged as a whole
    with_question: bool = False  # whether a model judge also sees the question
    all_replies: tuple[Reply, ...] = ()  # one for each turn, if they are judged together: `reply` is all of them as one

    @property
    def exchange(self) -> list[tuple[Turn, str]]:
        """The questions that are judged together, each with its reply."""
        return [(turn, reply.spoken) for turn, reply in zip(self.item.turns, self.all_replies, strict=True)]

    @property
    def free(self) -> bool:
        """Whether the reply is in words of its own, so that rules can only guess what it means."""
        if self.asks in SCORED or self.asks == "says":
            return True
        return self.item.format != "choice" and (self.criterion is None or self.criterion.check is None)

    @property
    def turn(self) -> Turn:
        """The question and its reference answer."""
        return self.item.turns[self.number]

    @property
    def said(self) -> str:
        """The reply without the model's thinking."""
        return self.reply.spoken

    @property
    def reference(self) -> str:
        """The right answer in words: the reference, or the right option without one."""
        turn = self.turn
        return turn.reference or (turn.options[turn.gold] if turn.gold is not None and turn.options else "")

    @property
    def name(self) -> str:
        """Name of the criterion; empty if the reply is judged as a whole."""
        return self.criterion.name if self.criterion else ""

    @property
    def description(self) -> str:
        """The description of the criterion; for a reply as a whole, its reference."""
        return self.criterion.description if self.criterion else self.reference

    @property
    def empty(self) -> bool:
        """Whether the reply is empty, so that no judge is needed."""
        return self.reply.status != "ok" or not self.said


class Finding(Record):
    """A judge's finding. For a penalty, `met` means that the reply avoided what it forbids."""

    met: bool | None
    sure: bool = True
    points: float | None = None  # 0 to 5, or 0 to 1 where that is the scale
    reason: str = ""
    error: str | None = None
    cached: bool = False
    seconds: float | None = None  # seconds that a model took, if one was asked
    usage: Usage | None = None  # what it took of tokens and money


class Judge(Protocol):
    """Something that decides cases."""

    id: str  # its model and a hash of its prompts and parameters
    at_once: int  # number of cases it may decide concurrently

    def judge(self, case: Case) -> Finding:
        """Decide one case that isn't empty. A judge that can't decide says why in `error`."""
        ...


@runtime_checkable
class SaysCost(Judge, Protocol):
    """A judge that can predict its cost. Other judges ask no model."""

    def expected(self, case: Case) -> Usage:
        """The expected cost of one case that isn't empty, without asking. Only a finished reply tells its time."""
        ...


def nothing_said(case: Case) -> Finding:
    """The finding for an empty reply: it meets no criterion and violates no penalty."""
    if case.asks == "grade" or case.asks in SCORED:
        return Finding(met=case.asks == "untouched", points=0.0, reason=NO_REPLY)
    return Finding(met=case.asks == "penalty", reason=NO_REPLY)


def reply_hash(reply: Reply) -> str:
    """Twelve hex digits of a reply."""
    kept = reply.model_dump_json(include={"text", "status", "choice", "abstained", "calls", "cited"})
    kept += "uncertain" * reply.uncertain  # other replies keep their old hashes
    return hashlib.blake2b(kept.encode(), digest_size=6).hexdigest()
