"""One step of the pipeline: builds one or more layers from the file and from layers built before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from longtake.config import Settings
from longtake.memory.building import Chunks, LayerWriter
from longtake.memory.layers import Layer, LayerRecipe
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media.media import MediaInfo


def _ignore(_: float) -> None:
    """Take a share of progress and do nothing with it."""


def _unheard(_: str) -> None:
    """Take a warning and do nothing with it."""


def _never() -> None:
    """Never cancel."""


@dataclass(frozen=True)
class IndexJob:
    """What a step is handed."""

    path: Path
    media: MediaInfo
    settings: Settings
    engines: EngineTable
    layers: Mapping[str, Layer] = field(default_factory=dict)
    check_cancelled: Callable[[], None] = _never  # raises Cancelled; called at every frame or chunk
    progress: Callable[[float], None] = _ignore  # takes the share done, 0 to 1
    chunks: Chunks = field(default_factory=Chunks)
    warn: Callable[[str], None] = _unheard  # takes one sentence about what is left out of the layers


class Step(Protocol):
    """Builds layers; the same job and recipes give the same bytes."""

    name: str  # what progress and a failure are reported under

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """What this step would build for the job; empty when the file has nothing for it.

        Raises:
            EngineError: when no engine can be used; the message says what would make one available.
        """
        ...

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Fill a writer for each recipe, by layer name.

        What takes long is done in chunks, and not again where `job.chunks` holds what an earlier build had finished.
        """
        ...
