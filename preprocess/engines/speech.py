"""Speech as words: what a recogniser is, and the subtitles that stand in for one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from longtake.config import Settings
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.audio import AudioBlock


@dataclass(frozen=True, slots=True)
class SpeechSegment:
    """Words and when they are said, in seconds from the media's origin."""

    start: float
    end: float
    text: str
    language: str | None = None
    speaker: str | None = None
    confidence: float = 1.0


class SpeechEngine(Protocol):
    """A recogniser: sound in, words out."""

    id: str
    rate: int  # samples a second that `recognise` wants

    def recognise(self, blocks: Iterable[AudioBlock], language: str | None) -> Iterator[SpeechSegment]:
        """Segments by start; the language is detected when it is None."""
        ...


class SubtitleSpeech:
    """Not a recogniser: the words somebody wrote down, read from the items of the layer `subtitles`."""

    id = "subtitles-1"

    def __init__(self, settings: Settings) -> None:
        """Nothing of the settings changes what it reads."""

    def transcribe(
        self, items: Iterable[Mapping[str, Any]], span: TimeSpan | None = None, language: str | None = None
    ) -> list[SpeechSegment]:
        """Cues of one source that share a moment with the span: the first in the language asked for, else the first.

        `en` also finds `en-US`. The language of each segment says what was really found.
        """
        listed = list(items)
        fitting = (item["source"] for item in listed if language and _is(item["language"], language))
        source = next(fitting, listed[0]["source"] if listed else None)
        return [
            SpeechSegment(item["start"], item["end"], item["text"], item["language"], item.get("speaker"))
            for item in listed
            if item["source"] == source
            and (span is None or span.overlaps(TimeSpan(start=item["start"], end=item["end"])))
        ]


def _is(found: str | None, asked: str) -> bool:
    return found is not None and (found.lower() == asked.lower() or found.partition("-")[0] == asked.lower())
