"""The protocols of a speech recogniser and of a speaker encoder, which gives the sound of a voice as a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from longtake.memory.search.search_types import Vectors
from longtake.preprocess.media.audio import Samples

WINDOW, STEP = 1.6, 0.4  # seconds that a vector describes, and seconds from one to the next
RATE = 16_000  # samples per second; recognisers are trained on this rate


@dataclass(frozen=True, slots=True)
class Word:
    """One word, from `start` to `end` in seconds from the media's origin; `probability` is the engine's, 0 to 1."""

    start: float
    end: float
    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class SpeechSegment:
    """One utterance of at least one word.

    `language` is an ISO 639 code. `confidence` is the engine's, 0 to 1. Words that aren't `trusted` may lead to a
    place, but prove nothing.
    """

    words: tuple[Word, ...]
    text: str
    language: str
    confidence: float
    trusted: bool

    def item(self) -> dict[str, Any]:
        """The segment as an item of the layer `speech`, with times to the millisecond."""
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

    def detects_language(self) -> bool:
        """Whether it knows several languages and can tell them apart."""
        ...

    def recognise(self, samples: Samples, start: float, language: str | None) -> list[SpeechSegment]:
        """The speech segments of a piece of audio, sorted by start; empty without speech.

        The same samples give the same segments, whatever was recognised before.

        Args:
            samples: mono, float32 of shape (n,) in -1..1, `RATE` per second.
            start: seconds from the media's origin to the first sample.
            language: ISO 639 code; None detects it.

        Raises:
            EngineError: if the model can't be loaded.
        """
        ...


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
