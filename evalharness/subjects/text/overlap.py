"""Overlap: the option that shares most with the question and with what is shown, in words or in meaning."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.evalharness.subjects.named_engine import named_engine
from longtake.evalharness.subjects.text.text_subject import TextSubject
from longtake.language.words import content_stems, coverage
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.preprocess.pipeline.workspace import Workspace


class WordOverlap(TextSubject):
    """Counts stems; asks no model."""

    def scores(self, question: str, options: Sequence[str], lines: Sequence[str]) -> list[float]:
        """The share of an option in the question, and in the best line shown; see `TextSubject`."""
        return [self._score(question, option, lines) for option in options]

    def _score(self, question: str, option: str, lines: Sequence[str]) -> float:
        wanted, asked = content_stems(option) or [option.casefold()], content_stems(question)
        shown = max((coverage(wanted, line) * (1 + coverage(asked, line)) for line in lines), default=0.0)
        return coverage(wanted, question) + shown


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
