"""The protocol of a pipeline step, which builds one or more layers from the file and earlier layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from longtake.memory.building import Chunks, LayerWriter
from longtake.memory.gallery import Person
from longtake.memory.layers import Layer, LayerRecipe
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media.media import MediaInfo
from longtake.settings import Settings


@dataclass(frozen=True)
class IndexJob:
    """The inputs of a step."""

    path: Path
    media: MediaInfo
    settings: Settings
    engines: EngineTable
    layers: Mapping[str, Layer] = field(default_factory=dict)
    check_cancelled: Callable[[], None] = lambda: None  # raises Cancelled; called at every frame or chunk
    progress: Callable[[float], None] = lambda share: None  # takes the share done, 0 to 1
    chunks: Chunks = field(default_factory=Chunks)
    warn: Callable[[str], None] = lambda sentence: None  # takes one sentence about something missing from the layers
    remark: Callable[[str], None] = lambda sentence: None  # takes one sentence about how something was read
    subtitles: tuple[Path, ...] = ()  # that the user named for the video
    hurried: bool = False  # somebody waits for an answer, so what models left out before isn't tried again
    people: tuple[Person, ...] = ()  # whose faces the user enrolled
    names: Mapping[str, str] = field(default_factory=dict)  # that the user gave to entities, by those that were found


class Step(Protocol):
    """Builds layers; the same job and recipes give the same bytes."""

    name: str  # in progress and failure reports

    @property
    def capability(self) -> str | None:
        """Whose engine does the work."""
        ...

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """What this step would build for the job; empty if the file has nothing for it.

        Raises:
            EngineError: if no engine is available; the message says how to get one.
        """
        ...

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Fill a writer for each recipe, by layer name.

        Slow work is done in chunks, reusing those in `job.chunks` that an earlier build finished.
        """
        ...
