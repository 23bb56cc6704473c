"""The protocols of object engines and detectors, with their queries and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from longtake.preprocess.media.frames import Picture

Box = tuple[float, float, float, float]
Counting = Literal["", "at_once", "over_time"]


@dataclass(frozen=True, slots=True)
class ObjectQuery:
    """The parts of a query: "three different red cars" is 3, `over_time`, red, car.

    `thing` is a noun in the singular that only a trained model recognises; colours, shapes and motion don't need one.
    An empty part doesn't restrict the query. `absent` asks when there is none.
    """

    colour: str = ""
    shape: str = ""
    thing: str = ""
    moving: bool = False
    number: int | None = None
    counting: Counting = ""
    absent: bool = False

    @property
    def name(self) -> str:
        """The thing's name, such as "red car"; "thing" if nothing else is given."""
        noun = " ".join(part for part in (self.thing, self.shape) if part) or "thing"
        return f"{self.colour} {noun}" if self.colour else noun

    @property
    def phrase(self) -> str:
        """The name, preceded by "moving" if required."""
        return f"moving {self.name}" if self.moving else self.name

    @property
    def over_time(self) -> bool:
        """Whether to count distinct things over time, the default for moving ones, rather than the most at once."""
        return self.counting == "over_time" or (self.moving and self.counting != "at_once")


@dataclass(frozen=True, slots=True)
class FoundObject:
    """One thing in one picture; `box` is left, top, width and height as fractions of the picture."""

    name: str
    box: Box
    confidence: float
    colour: str = ""

    @property
    def middle(self) -> tuple[float, float]:
        """Across and down, as fractions of the picture."""
        left, top, width, height = self.box
        return left + width / 2, top + height / 2


def box_of(pixels: Sequence[float], picture: tuple[int, ...]) -> Box:
    """Convert left, top, width and height in pixels to fractions of a picture of shape (height, width, ...)."""
    left, top, width, height = pixels
    down, across = picture[:2]
    return round(left / across, 4), round(top / down, 4), round(width / across, 4), round(height / down, 4)


class ObjectEngine(Protocol):
    """Finds things in single pictures."""

    max_pictures: int  # worth searching in one tool call

    @property
    def id(self) -> str:
        """Model and version."""
        ...

    def cannot(self, query: ObjectQuery) -> str | None:
        """Why this engine can't find such things, as a phrase that follows "it"; None if it can."""
        ...

    def find(self, picture: Picture, query: ObjectQuery) -> list[FoundObject]:
        """The things in a picture, (height, width, 3) BGR, that match a query, in any order.

        Raises:
            EngineError: if the model can't be loaded.
        """
        ...


class Detector(Protocol):
    """Finds everything that it knows, for the layer `detections`; queries know the names of COCO."""

    @property
    def id(self) -> str:
        """Model and version."""
        ...

    def detect(self, picture: Picture) -> list[FoundObject]:
        """All things in a picture, (height, width, 3) BGR, the surest first; only a "person" is trusted.

        Raises:
            EngineError: if the model can't be loaded.
        """
        ...
