"""Readers of the questions about a clip, trained without the clip's own wordings.

The bank contains wordings about many of the clips. Heads trained on them would be tested on their training data.
"""

from __future__ import annotations

from collections.abc import Mapping

from longtake.agent.query.bank import load_bank
from longtake.agent.query.query import Source
from longtake.agent.query.reader import LearnedReader, Reader, RefittedReader
from longtake.preprocess.engines import EngineTable

# By the modality of the gold: the sources that a question about it should be read as asking.
_FITTING: Mapping[str, tuple[Source, ...]] = {
    "ocr": ("text",),
    "speech": ("speech",),
    "subtitle": ("speech",),
    "audio": ("sound",),
}
_SEEN: tuple[Source, ...] = ("picture", "shots", "motion", "file")


class ClipReaders:
    """A reader for the questions about each clip."""

    def __init__(self, engines: EngineTable) -> None:
        """Refit nothing yet.

        Raises:
            ConfigError: if the settings name no embedding to read questions with.
        """
        self._shipped = LearnedReader(engines)
        self._refitted = RefittedReader(self._shipped.embedding)
        self._clips_in_bank = {example.clip for example in load_bank()}

    def excluding(self, clip: str) -> Reader:
        """Heads refitted without a clip's wordings; the shipped ones if the bank has none about it."""
        return self._refitted.excluding({clip}) if clip in self._clips_in_bank else self._shipped


def reads_right(reader: Reader, question: str, modality: str) -> bool:
    """Whether the likeliest source fits the modality of the gold."""
    sources = reader.read(question).sources
    return max(sources, key=lambda name: sources[name]) in _FITTING.get(modality, _SEEN)
