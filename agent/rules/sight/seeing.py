"""What the ways to answer from the picture have in common: which questions they are for, and how findings are told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import POLAR, Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import Done, Move, cite, failures, not_found, noted
from longtake.memory.records import Evidence
from longtake.memory.timespan import clock

MOST_TOLD = 6


def asks_eyes(orientation: Orientation) -> bool:
    """Whether a question may be answered by the picture: it speaks of nothing said, written, heard or quoted."""
    return not {"speech", "scene_text", "audio"} & set(orientation.modalities) and not orientation.quoted


def is_polar(question: str) -> bool:
    """Whether a question wants a yes or a no."""
    return bool(re.match(POLAR, question, re.IGNORECASE))


def words_first(orientation: Orientation, done: Sequence[Done]) -> Move | None:
    """What is said or written of it, or the calls that tell; None where that is nothing and one has to look."""
    told = find_fact(orientation, done)
    return None if isinstance(told, str) and told.startswith(NOT_FOUND) else told


def without_tools(done: Iterable[Done], *tools: str) -> list[Done]:
    """The calls but those of some tools."""
    return [step for step in done if step.call.name not in tools]


def told(items: Iterable[Evidence], orientation: Orientation) -> str:
    """Findings in their own words, in order of time, each with its time and its mark."""
    ordered = sorted(items, key=lambda item: item.span.start)
    return " ".join(f"“{item.content}” {_when(item)} {cite(item, orientation)}." for item in ordered[:MOST_TOLD])


def nothing_seen(done: Sequence[Done], tool: str, *reasons: str) -> str:
    """An abstention with these reasons and what the tool that looked says of it, each once."""
    looked = [step for step in done if step.call.name == tool]
    return not_found(" ".join(filter(None, dict.fromkeys([*reasons, *failures(looked), *noted(looked)]))))


def _when(item: Evidence) -> str:
    start, end = (clock(time, decimals=1) for time in (item.span.start, item.span.end))
    return f"at {start}" if start == end else f"from {start} to {end}"
