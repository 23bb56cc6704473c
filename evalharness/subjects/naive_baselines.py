"""Baselines without picture and sound: what chance and the wording of the options alone achieve."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from longtake.evalharness.items import Item, Reply
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.subjects.subject import Asked

NO_OPTIONS = "NOT FOUND: this baseline only chooses among options."


class RandomOption:
    """Chooses an option at random; the same one for the same item, variant and seed."""

    name = "random"
    at_once = 1

    def reply(self, asked: Asked) -> Reply:
        """A label drawn by the item's own generator."""
        if not asked.options:
            return abstained()
        drawn = random.Random(f"{asked.item.id}/{asked.number}/{asked.variant.name}/{asked.seed}")
        return chosen(asked, drawn.randrange(len(asked.options)))


class MajorityLetter:
    """Always chooses the letter that is right most often in all items of the suite; the ceiling of a fixed letter."""

    name = "majority"
    at_once = 1

    def __init__(self, items: Sequence[Item]) -> None:
        golds = Counter(turn.gold for item in items for turn in item.turns if turn.gold is not None)
        self._place = min(golds, key=lambda place: (-golds[place], place)) if golds else 0

    def reply(self, asked: Asked) -> Reply:
        """The letter, where there are this many options."""
        if not asked.options:
            return abstained()
        return chosen(asked, min(self._place, len(asked.options) - 1))


class LongestOption:
    """Chooses the longest option; the first of equally long ones."""

    name = "longest"
    at_once = 1

    def reply(self, asked: Asked) -> Reply:
        """The letter of the option with the most characters."""
        if not asked.options:
            return abstained()
        return chosen(asked, max(range(len(asked.options)), key=lambda place: (len(asked.options[place]), -place)))


def chosen(asked: Asked, place: int) -> Reply:
    """The reply that chooses the option at a place."""
    return Reply(text=f"{LABELS[place]}. {asked.options[place]}", choice=asked.own(place), parse="ok")


def abstained(reason: str = NO_OPTIONS) -> Reply:
    """The reply that chooses nothing."""
    return Reply(text=reason, parse="abstained", abstained=True)
