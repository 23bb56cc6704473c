"""Who reads the questions about a clip: heads that none of the clip's own wordings taught.

The bank holds wordings about many of the clips. Heads that learned them would be asked what they know by heart.
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
    """Readers of the questions about clips."""

    def __init__(self, engines: EngineTable) -> None:
        """Nothing is refitted before it is asked for.

        Raises:
            ConfigError: when the settings name no embedding that questions can be read by.
        """
        self._shipped = LearnedReader(engines)
        self._refitted = RefittedReader(self._shipped.embedding)
        self._taught_by = {example.clip for example in load_bank()}

    def excluding(self, clip: str) -> Reader:
        """Heads refitted without a clip's wordings; the shipped ones where the bank holds none of it."""
        return self._refitted.excluding({clip}) if clip in self._taught_by else self._shipped


def reads_right(reader: Reader, question: str, modality: str) -> bool:
    """Whether the likeliest source that is read fits the modality of the gold."""
    sources = reader.read(question).sources
    return max(sources, key=lambda name: sources[name]) in _FITTING.get(modality, _SEEN)
