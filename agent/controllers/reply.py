"""What a controller may hand over beside its text: claims with their evidence, and how sure it is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from longtake.memory.records import Closest, Option, Record

REPLY = "reply"  # the key of a message's additional data under which it lies

Outcome = Literal["answered", "uncertain", "abstained"]


class DraftClaim(Record):
    """A statement, and the ids of the evidence that it rests on."""

    text: str
    evidence: tuple[str, ...]


class Reply(Record):
    """A structured draft."""

    outcome: Outcome
    claims: tuple[DraftClaim, ...] = ()
    reason: str = Field(default="", description="Why nothing is claimed, and what would help.")
    closest: tuple[Closest, ...] = Field(default=(), description="At most three lines, best first.")
    confidence: float | None = None
    option: Option | None = None
