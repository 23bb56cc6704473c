"""The protocol of subjects: they reply to a turn of an item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from longtake.errors import ConfigError, EngineError, MediaError
from longtake.evalharness.items import Item, Reply, Turn, Variant
from longtake.evalharness.scoring.choices import LABELS
from longtake.memory.records import Usage

CHOOSE = "Reply with the letter of the right option."


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A turn as a subject gets it."""

    item: Item
    number: int  # of the turn, from 0
    variant: Variant
    seed: int
    history: tuple[tuple[str, str], ...]  # the earlier questions and answers of the conversation

    @property
    def turn(self) -> Turn:
        """The turn itself."""
        return self.item.turns[self.number]

    @property
    def order(self) -> tuple[int, ...]:
        """The original index of the option at each position."""
        return self.variant.order_of(self.turn)

    @property
    def options(self) -> tuple[str, ...]:
        """The options as they are worded, in the order shown."""
        texts = self.variant.texts_of(self.turn, self.item.id)
        return tuple(texts[place] for place in self.order)

    @property
    def text(self) -> str:
        """The question with its labelled options, and how to answer: as the suite says, or else in our words."""
        listed = [f"{LABELS[place]}. {option}" for place, option in enumerate(self.options)]
        instruction = self.turn.instruction or (CHOOSE if listed else "")
        return "\n".join(filter(None, (self.turn.question, *listed, instruction)))

    def label(self, option: int) -> str:
        """The letter of an option, given its original index."""
        return LABELS[self.order.index(option)]

    @property
    def target(self) -> str:
        """The right answer: a letter, or the reference."""
        return self.turn.reference if self.turn.gold is None else self.label(self.turn.gold)

    def own(self, place: int | None) -> int | None:
        """The original index of an option, given its position."""
        return None if place is None else self.order[place]


class Subject(Protocol):
    """Something that answers questions."""

    name: str
    at_once: int  # number of turns it may answer concurrently

    def reply(self, asked: AskedTurn) -> Reply:
        """Answer one turn.

        Raises:
            LongtakeError: if it can't answer. The harness records an error, which counts as a wrong answer.
        """
        ...


@runtime_checkable
class SaysCost(Protocol):
    """A subject that can predict its cost. Other subjects ask no model and read no video."""

    indexes: bool  # whether a video is indexed before its first question
    at_most: bool  # whether the prediction is an upper limit

    def expected(self, asked: AskedTurn) -> Usage:
        """What one turn takes; nothing is asked. Seconds are 0 if only a finished turn can tell."""
        ...


@runtime_checkable
class InLanes(Protocol):
    """A subject that answers items with the same lane one after another, even if it answers several at once."""

    def lane(self, item: Item) -> str:
        """The lane of an item."""
        ...


def refuse_clip(item: Item) -> None:
    """Refuse an item about a clip on behalf of a subject that has an index of the whole video.

    Raises:
        ConfigError: if it is about one.
    """
    if item.clip:
        raise ConfigError(
            f"{item.id} is about a part of its video, but this subject sees all of it: cut the video first."
        )


class NothingToShow(MediaError):
    """The video has nothing of what a subject is to be shown, such as speech. The reply's status is `no_media`."""


class NoAnswer(EngineError):
    """A model replied, but without an answer; that took something all the same."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


def no_media() -> Reply:
    """The reply about a video that doesn't exist."""
    return Reply(text="", status="no_media", error="The video of this item is missing.")
