"""Similarity of meaning: the option that is nearest to the question, and with it to what is shown."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.evalharness.subjects.named_engine import named_engine
from longtake.evalharness.subjects.text.text_subject import TextSubject
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.preprocess.pipeline.workspace import Workspace


class MeaningOverlap(TextSubject):
    """Compares vectors of a text embedding engine."""

    def __init__(self, name: str, workspace: Workspace, engine: str) -> None:
        """Load the engine.

        Raises:
            ConfigError: if there is no text embedding engine of that name.
            EngineUnavailable: if it can't be used here.
        """
        super().__init__(name, workspace)
        self._engine: TextEmbedding = named_engine(workspace.settings, "text_embedding", engine)

    def scores(self, question: str, options: Sequence[str], lines: Sequence[str]) -> list[float]:
        """Cosine of option and question, plus that of both together and the nearest line; see `TextSubject`."""
        asked = [f"{question} {option}" for option in options]
        rows = self._engine.embed([question, *options, *asked, *lines])
        alone, together, shown = (
            rows[1 : len(options) + 1],
            rows[len(options) + 1 :][: len(options)],
            rows[-len(lines) :],
        )
        found = alone @ rows[0]
        if lines:
            found = found + (together @ shown.T).max(axis=1)
        return [float(score) for score in found]
