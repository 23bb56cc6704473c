"""Shots by comparing frames: hard cuts by PySceneDetect's content detector, dissolves and fades by brightness."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version

from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.media.frames import Frame
from longtake.preprocess.transitions.cuts import Cuts
from longtake.preprocess.transitions.dissolves import Dissolves
from longtake.preprocess.transitions.fades import Fades
from longtake.preprocess.transitions.fades_in import FadesIn
from longtake.preprocess.transitions.transition_finder import Boundary
from longtake.settings import Settings


class ContentShots:
    """Finds transitions in one pass, without a model."""

    def __init__(self, settings: Settings) -> None:
        self.id = f"pyscenedetect-{version('scenedetect-headless')}/content"
        self._settings = settings.visual_pass

    def finder(self, changes: Changes, frames: Callable[[], Iterator[Frame]]) -> ContentFinder:
        """See `ShotEngine`."""
        return ContentFinder(changes, self._settings.shot_threshold, self._settings.min_shot_seconds)


class ContentFinder:
    """See `TransitionFinder`."""

    def __init__(self, changes: Changes, threshold: float, min_shot_seconds: float) -> None:
        self._cuts = Cuts(changes, threshold, min_shot_seconds)
        self._fades = Fades(changes)
        self._fades_in = FadesIn(changes)
        self._dissolves = Dissolves(changes)

    @property
    def suspected(self) -> float:
        """See `TransitionFinder`."""
        return self._cuts.suspected

    def observe(self, frame: Frame) -> list[Boundary]:
        """See `TransitionFinder`."""
        fades = [*self._fades.observe(), *self._fades_in.observe()]
        return [
            *(Boundary(time, "cut") for time in self._cuts.observe(frame)),
            *(Boundary(fade.time, "fade", fade) for fade in fades),
            *(Boundary(dissolve.time, "dissolve", dissolve) for dissolve in self._dissolves.observe()),
        ]

    def finish(self) -> list[Boundary]:
        """See `TransitionFinder`."""
        return [Boundary(time, "cut") for time in self._cuts.finish()]
