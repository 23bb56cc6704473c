"""A draft after it was judged."""

from __future__ import annotations

from pydantic import Field

from longtake.agent.drafts.draft import Outcome
from longtake.memory.records import Claim, Record


class Judged(Record):
    """The text that may be published, its claims, and what they make of the answer."""

    text: str
    status: Outcome
    claims: tuple[Claim, ...] = ()
    option: str | None = Field(default=None, description="The letter of the chosen option.")
    option_supported: bool | None = None
    option_reason: str = Field(default="", description="Why the chosen option isn't supported.")
    citations: int = Field(default=0, description="Citations of the draft.")
    removed: int = Field(default=0, description="Those that point to no moment of the run.")
    cited: int = Field(default=0, description="Claims with a citation that points to a moment.")
    problem: str = Field(default="", description="Why the claims couldn't be checked.")
    sent_back: bool = Field(default=False, description="Whether the controller was asked to mend its draft.")
