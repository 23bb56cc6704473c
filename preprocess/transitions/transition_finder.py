"""What a shot detector offers: the boundaries between shots, as a pass over the frames comes to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.media.frames import Frame
from longtake.preprocess.transitions.fades import Gradual


class Boundary(NamedTuple):
    """Where a shot begins, in seconds; for a gradual transition, the boundary is inside it."""

    time: float
    transition: str
    gradual: Gradual | None = None

    def near(self, other: Boundary, seconds: float) -> bool:
        """Whether both are likely to be the same transition."""
        inside = any(
            one.gradual is not None and one.gradual.start <= two.time <= one.gradual.end
            for one, two in ((self, other), (other, self))
        )
        return inside or abs(self.time - other.time) < seconds


class TransitionFinder(Protocol):
    """Sees every frame, after `Changes`. It is saved with the state of a pass, so it holds only what NumPy can save."""

    @property
    def suspected(self) -> float:
        """Time of the latest sudden change, known at once: a cut that will be reported, or a flash."""
        ...

    def observe(self, frame: Frame) -> list[Boundary]:
        """Process the next frame; returns the boundaries that are now certain, at most a few seconds old."""
        ...

    def finish(self) -> list[Boundary]:
        """The boundaries that the last frames left open."""
        ...


class ShotEngine(Protocol):
    """The engine for capability `shots`."""

    id: str

    def finder(self, changes: Changes, frames: Callable[[], Iterator[Frame]]) -> TransitionFinder:
        """A finder for one pass over a file; `frames` decodes the file once more, for an engine that looks ahead."""
        ...
