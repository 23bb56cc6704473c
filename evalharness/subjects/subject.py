"""What a subject is: something that replies to a turn of an item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from longtake.evalharness.items import Item, Reply, Turn, Variant
from longtake.evalharness.scoring.choices import LABELS
from longtake.memory.records import Usage


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn as it is put to a subject."""

    item: Item
    number: int  # of the turn, from 0
    variant: Variant
    seed: int
    history: tuple[tuple[str, str], ...]  # the questions before it and the answers that stand in the conversation

    @property
    def turn(self) -> Turn:
        """The turn itself."""
        return self.item.turns[self.number]

    @property
    def order(self) -> tuple[int, ...]:
        """The option, by its own number, that stands at each place."""
        return self.variant.order_of(self.turn)

    @property
    def options(self) -> tuple[str, ...]:
        """The options in the order in which they are put."""
        return tuple(self.turn.options[place] for place in self.order)

    @property
    def text(self) -> str:
        """The question with its labelled options, in words of our own."""
        if not self.turn.options:
            return self.turn.question
        listed = "\n".join(f"{LABELS[place]}. {option}" for place, option in enumerate(self.options))
        return f"{self.turn.question}\n{listed}\nReply with the letter of the option that is right."

    def label(self, option: int) -> str:
        """The letter under which an option, by its own number, is put."""
        return LABELS[self.order.index(option)]

    @property
    def target(self) -> str:
        """The right answer as it is put: a letter, or the reference."""
        return self.turn.reference if self.turn.gold is None else self.label(self.turn.gold)

    def own(self, place: int | None) -> int | None:
        """The number of an option in the item's own order, from its place in the order put."""
        return None if place is None else self.order[place]


class Subject(Protocol):
    """Something that can be asked."""

    name: str
    at_once: int  # how many turns it may be asked at the same time

    def reply(self, asked: Asked) -> Reply:
        """Answer one turn.

        Raises:
            LongtakeError: when it cannot; the harness records it as an error, which counts as a wrong answer.
        """
        ...


@runtime_checkable
class SaysCost(Protocol):
    """A subject that says beforehand what it takes; the others ask no model, and look into no video."""

    indexes: bool  # whether a video is indexed before anything is asked about it
    at_most: bool  # whether what it says is a limit, and not what is expected

    def expected(self, asked: Asked) -> Usage:
        """What one turn takes; nothing is asked. Seconds are 0 where only a finished turn can tell."""
        ...


def no_media() -> Reply:
    """The reply about a video that is not there."""
    return Reply(text="", status="no_media", error="The video of this item is not there.")
