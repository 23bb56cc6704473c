"""An engine for the capability `summary`: the first sentences."""

from collections.abc import Sequence

from longtake.preprocess.engines.built_in_engines import EngineEntry
from longtake.settings import Settings


class FirstSentences:
    """Implements `Summarizer`, the protocol in `preprocess/engines/text/text_engines.py`."""

    id = "first-sentences-1"

    def __init__(self, settings: Settings) -> None:
        """Load nothing heavy before the first call."""

    def summarize(self, sentences: Sequence[str], count: int) -> list[int]:
        """Return the indices of at most `count` sentences, in text order."""
        return list(range(min(count, len(sentences))))


ENTRY = EngineEntry("longtake_template.engine:FirstSentences", "the first sentences")
