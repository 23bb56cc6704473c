"""What a sound engine is: it listens to a track and names the events it is sure of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from longtake.preprocess.audio import AudioBlock


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
        """The event as a layer item, rounded to what is really known."""
        item: dict[str, Any] = {
            "start": round(self.start, 3),
            "end": round(self.end, 3),
            "kind": self.kind,
            "level_db": round(self.level_db, 1),
            "confidence": round(self.confidence, 3),
        }
        return item if self.hz is None else item | {"hz": round(self.hz)}


class SoundEngine(Protocol):
    """Finds sound events in a track."""

    id: str
    rate: int  # samples a second that `detect` wants

    def detect(self, blocks: Iterable[AudioBlock]) -> list[SoundEvent]:
        """Events of a whole track, by start; the blocks are read once and not kept."""
        ...
