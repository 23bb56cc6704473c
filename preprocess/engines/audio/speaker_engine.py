"""The protocol of a speaker encoder: the sound of a voice as a vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longtake.memory.search.search_types import Vectors
from longtake.preprocess.media.audio import Samples

RATE = 16_000  # samples per second
WINDOW, STEP = 1.6, 0.4  # seconds that a vector describes, and seconds from one to the next


class SpeakerEngine(Protocol):
    """Maps voices to vectors: those of one speaker are close, whatever is said."""

    id: str

    def embed(self, passages: Sequence[Samples]) -> list[Vectors]:
        """For each passage, one row of length 1 for each window, (windows, dimensions) float32; at least one.

        Args:
            passages: voiced passages, mono, float32 of shape (n,) in -1..1, `RATE` per second. One shorter than
                `WINDOW` is repeated until it fills one.

        Raises:
            EngineError: if the model can't be loaded.
        """
        ...
