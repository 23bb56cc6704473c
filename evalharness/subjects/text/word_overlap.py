"""Word overlap: the option whose words stand in what is shown, best in a line that also has the question's words."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.evalharness.subjects.text.text_subject import TextSubject
from longtake.language.words import content_stems, coverage


class WordOverlap(TextSubject):
    """Counts stems; asks no model."""

    def scores(self, question: str, options: Sequence[str], lines: Sequence[str]) -> list[float]:
        """The share of an option in the question, and in the best line shown; see `TextSubject`."""
        return [self._score(question, option, lines) for option in options]

    def _score(self, question: str, option: str, lines: Sequence[str]) -> float:
        wanted, asked = content_stems(option) or [option.casefold()], content_stems(question)
        shown = max((coverage(wanted, line) * (1 + coverage(asked, line)) for line in lines), default=0.0)
        return coverage(wanted, question) + shown
