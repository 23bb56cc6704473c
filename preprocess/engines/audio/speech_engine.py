"""Speech as words: what a recogniser is handed and what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from longtake.preprocess.media.audio import Samples

RATE = 16_000  # samples a second; what recognisers are trained on


@dataclass(frozen=True, slots=True)
class Word:
    """One word, from `start` to `end` in seconds from the media's origin; `probability` is the engine's, 0 to 1."""

    start: float
    end: float
    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class SpeechSegment:
    """What is said in one breath, at least one word.

    `language` is an ISO 639 code. `confidence` is the engine's, 0 to 1. Words that are not `trusted` may lead to a
    place, but prove nothing.
    """

    words: tuple[Word, ...]
    text: str
    language: str
    confidence: float
    trusted: bool

    def item(self) -> dict[str, Any]:
        """The segment as an item of the layer `speech`, times in milliseconds' precision."""
        words = [
            [round(word.start, 3), round(word.end, 3), word.text, round(word.probability, 3)] for word in self.words
        ]
        return {
            "start": words[0][0],
            "end": words[-1][1],
            "text": self.text,
            "language": self.language,
            "words": words,
            "confidence": round(self.confidence, 3),
            "trusted": self.trusted,
        }


class SpeechEngine(Protocol):
    """A recogniser: sound in, words out."""

    id: str

    def recognise(self, samples: Samples, start: float, language: str | None) -> list[SpeechSegment]:
        """The segments of a piece of sound by start, none where nobody speaks.

        The same samples give the same segments, whatever was recognised before.

        Args:
            samples: mono, float32 of shape (n,) in -1..1, `RATE` a second.
            start: seconds from the media's origin to the first sample.
            language: ISO 639 code; detected when it is None.

        Raises:
            EngineError: when the model cannot be loaded.
        """
        ...
