"""The reply of the extractive controller before it is written: claims with their evidence, and its confidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from longtake.language.text import as_sentence
from longtake.memory.records import Closest, Option, Record
from longtake.memory.timespan import clock

NOTHING = "I couldn't find this in the video."
_WHERE = {
    "speech": "words spoken",
    "scene_text": "on-screen text",
    "audio": "sound",
    "visual": "picture",
    "metadata": "fact about the recording",
}
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


def unsure(reply: Reply, names: Mapping[str, str]) -> str:
    """The text of an uncertain answer: the closest line with its modality, moment and words."""
    parts = ["I'm not sure."]
    if reply.option:
        parts = [as_sentence(f"Probably {reply.option.letter}: {reply.option.text}")]
    for line in reply.closest[:1]:
        name = f"{names[line.video]} " if line.video in names else ""
        # Texts that a tool made already contain quotation marks.
        text = line.text if "“" in line.text else f"“{line.text}”"
        parts.append(as_sentence(f"Closest {_WHERE[line.modality]} at {name}{clock(line.start)}: {text}"))
    return " ".join(parts)
