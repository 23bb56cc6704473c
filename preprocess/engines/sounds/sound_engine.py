"""The protocols of engines for sound: one names the events it is sure of, one answers questions about a stretch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from longtake.preprocess.media.audio import AudioBlock, Samples

Measures = Mapping[str, npt.NDArray[np.floating[Any]]]  # an engine's measurements of a block, under its own names


@dataclass(frozen=True, slots=True)
class SoundEvent:
    """One event: seconds from the media's origin, level as RMS in dBFS, confidence 0 to 1, pitch of a tone in hertz."""

    start: float
    end: float
    kind: str
    level_db: float
    confidence: float
    hz: float | None = None

    def item(self) -> dict[str, Any]:
        """The event as a layer item, rounded to its real precision."""
        item: dict[str, Any] = {
            "start": round(self.start, 3),
            "end": round(self.end, 3),
            "kind": self.kind,
            "level_db": round(self.level_db, 1),
            "confidence": round(self.confidence, 3),
        }
        return item if self.hz is None else item | {"hz": round(self.hz)}


class SoundEngine(Protocol):
    """Finds sound events in a track: measures its blocks one by one, then decides from all measures."""

    id: str
    rate: int  # samples per second for `measure`

    def measure(self, block: AudioBlock, previous: AudioBlock | None) -> Measures:
        """What `detect` needs to know about a block; `previous` is the block before it, None for the first."""
        ...

    def detect(self, measured: Sequence[Measures]) -> list[SoundEvent]:
        """Events of a whole track, sorted by start, from the measures of its blocks in order."""
        ...


class AudioQuestionEngine(Protocol):
    """A model that answers in words."""

    id: str
    rate: int  # samples per second
    seconds: float  # the longest stretch

    def answer(self, prompt: str, samples: Samples, seconds: float) -> str:
        """The answer to a prompt about mono samples, float32 of shape (n,), within `seconds`; it may be empty.

        Raises:
            EngineError: if the model can't be loaded, or fails.
        """
        ...
