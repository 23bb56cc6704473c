"""The protocol of observers, which process the frames of the visual pass, and their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from longtake.preprocess.media.frames import Frame


@dataclass
class ObservedItems:
    """Items of a layer, and files for its folder by name, since the last `take`."""

    items: list[Mapping[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def take(self) -> ObservedItems:
        """Return the results so far, and start again empty."""
        taken = ObservedItems(self.items, self.files)
        self.items, self.files = [], {}
        return taken


class Observer(Protocol):
    """Sees each frame of the pass once, in presentation order, and keeps no more than it needs.

    It is pickled at the end of a chunk, so it must not hold a frame: a decoder's picture can't be stored.
    """

    found: ObservedItems

    def observe(self, frame: Frame) -> None:
        """Process the next frame."""
        ...

    def finish(self, end: float) -> None:
        """The video ended at `end` seconds."""
        ...
