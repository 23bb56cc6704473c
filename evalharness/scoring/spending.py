"""What replies and verdicts cost. A sum with a part whose price isn't known is unknown itself, and never 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from longtake.evalharness.items import Prediction
from longtake.memory.records import Usage


def total(usages: Iterable[Usage]) -> Usage:
    """The sum of what was used."""
    every = list(usages)
    costs = [usage.cost for usage in every]
    known = [cost for cost in costs if cost is not None]
    return Usage(
        rounds=sum(usage.rounds for usage in every),
        tool_calls=sum(usage.tool_calls for usage in every),
        seconds=round(sum(usage.seconds for usage in every), 3),
        input_tokens=sum(usage.input_tokens for usage in every),
        output_tokens=sum(usage.output_tokens for usage in every),
        cost=round(sum(known), 6) if len(known) == len(costs) else None,
    )


def used(prediction: Prediction) -> Iterator[Usage]:
    """What each reply of a prediction used; nothing of a reply that asked no model."""
    return (reply.usage for reply in prediction.replies if reply.usage)


def money(cost: float | None) -> str:
    """A cost in words."""
    return "unknown" if cost is None else f"{cost:.4g}"


def in_words(spent: Usage) -> str:
    """A cost with its tokens."""
    return f"{money(spent.cost)} ({spent.input_tokens:,} tokens in, {spent.output_tokens:,} out)"
