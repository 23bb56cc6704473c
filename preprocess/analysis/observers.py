"""What looks at the frames of the visual pass, and how it hands over what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from longtake.preprocess.media.frames import Frame


@dataclass
class Found:
    """Items of a layer, and files for its folder by name, since somebody last took them."""

    items: list[Mapping[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def take(self) -> Found:
        """Hand over what there is, and begin anew."""
        taken = Found(self.items, self.files)
        self.items, self.files = [], {}
        return taken


class Observer(Protocol):
    """Sees each frame of the pass once, in presentation order, and keeps no more than it needs.

    It is pickled where a chunk ends, so it may hold no frame: a decoder's picture cannot be stored.
    """

    found: Found

    def observe(self, frame: Frame) -> None:
        """Look at the next frame."""
        ...

    def finish(self, end: float) -> None:
        """The video ended at `end` seconds."""
        ...
