"""Objects: things in a picture, what is asked of them, and where they were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from longtake.preprocess.media.frames import Picture

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class ObjectQuery:
    """What is looked for, in parts: "three different red cars" is 3, `over_time`, red, car.

    `thing` is what only a trained model knows, in the singular: colours, shapes and movement can be told without one.
    An empty part says nothing.
    """

    colour: str = ""
    shape: str = ""
    thing: str = ""
    moving: bool = False
    number: int | None = None
    counting: Literal["", "at_once", "over_time"] = ""

    @property
    def name(self) -> str:
        """What the thing is called, as in "red car"; "thing" where nothing is known of it."""
        noun = " ".join(part for part in (self.thing, self.shape) if part) or "thing"
        return f"{self.colour} {noun}" if self.colour else noun

    @property
    def phrase(self) -> str:
        """The name, and that it moves where that is asked."""
        return f"moving {self.name}" if self.moving else self.name

    @property
    def over_time(self) -> bool:
        """Whether the different ones are counted, as they are of what moves, and not the most at once."""
        return self.counting == "over_time" or (self.moving and self.counting != "at_once")


@dataclass(frozen=True, slots=True)
class FoundObject:
    """One thing in one picture; `box` is left, top, width and height as shares of the picture."""

    name: str
    box: Box
    confidence: float
    colour: str = ""

    @property
    def middle(self) -> tuple[float, float]:
        """Across and down, as shares of the picture."""
        left, top, width, height = self.box
        return left + width / 2, top + height / 2


def box_of(pixels: Sequence[float], picture: tuple[int, ...]) -> Box:
    """Left, top, width and height in pixels as shares of a picture of the shape (height, width, ...)."""
    left, top, width, height = pixels
    down, across = picture[:2]
    return round(left / across, 4), round(top / down, 4), round(width / across, 4), round(height / down, 4)


class ObjectEngine(Protocol):
    """A finder of things in single pictures."""

    most_pictures: int  # that are worth asking for in one call of a tool

    @property
    def id(self) -> str:
        """Model and version."""
        ...

    def cannot(self, query: ObjectQuery) -> str | None:
        """Why this engine cannot find such things, in words that follow "it"; None when it can."""
        ...

    def find(self, picture: Picture, query: ObjectQuery) -> list[FoundObject]:
        """The things in a picture, (height, width, 3) BGR, that a query asks for, in no promised order.

        Raises:
            EngineError: when the model cannot be loaded.
        """
        ...
