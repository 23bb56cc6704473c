"""The structured reply of a controller: claims with their evidence, and its confidence."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from longtake.memory.records import Closest, Option, Record

REPLY = "reply"  # its key in the message's additional data

Outcome = Literal["answered", "uncertain", "abstained"]


class DraftClaim(Record):
    """A statement, and the ids of its evidence."""

    text: str
    evidence: tuple[str, ...]


class Reply(Record):
    """A structured draft."""

    outcome: Outcome
    claims: tuple[DraftClaim, ...] = ()
    reason: str = Field(default="", description="Why there is no claim, and what would help.")
    closest: tuple[Closest, ...] = Field(default=(), description="At most three lines, best first.")
    confidence: float | None = None
    option: Option | None = None
