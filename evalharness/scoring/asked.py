"""Counts what a run still has to ask. A stopped run is scored over the items that were asked."""

from __future__ import annotations

from collections.abc import Iterable

from longtake.evalharness.items import Item
from longtake.evalharness.runs.run_folder import RunCard
from longtake.evalharness.scoring.choice_scores import Share
from longtake.evalharness.subjects.model_spec import asked_in


def expected(subject: str, card: RunCard, items: Iterable[Item]) -> int:
    """How many predictions a subject makes of items: in each variant that it is asked in, with each seed."""
    variants = asked_in(subject, card)
    return len(card.seeds) * sum(variant.applies(item) for item in items for variant in variants)


def unfinished(unmade: Share) -> str:
    """The sentence about predictions that are not made yet, of all that are to be made."""
    return (
        f"{unmade.count} of {unmade.n} predictions are not made yet, and their items are left out; the same "
        "`longtake eval run` goes on."
    )
