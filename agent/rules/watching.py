"""Questions for eyes go to a vision-language model first, where one is configured."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, called, evidence_from, on_each, quote, trusted

TOOL = "watch_segment"
LONGEST = 120.0  # seconds that a few pictures can stand for


def watch_calls(orientation: Orientation, done: Sequence[Done]) -> list[Call]:
    """The calls that put the question to a model, of the time it names or of short videos; none when they were made."""
    lengths = [orientation.span.length] if orientation.span else orientation.videos.values()
    if called(done, TOOL) or max(lengths) > LONGEST:
        return []
    return on_each(orientation, TOOL, question=orientation.question)


def watched(orientation: Orientation, done: Sequence[Done]) -> str:
    """What the model said, in its own words; empty where there is none or it could not tell."""
    return quote(trusted(evidence_from(done, TOOL)), orientation)
