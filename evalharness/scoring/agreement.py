"""Agreement of two judges about the same answers: a confusion matrix and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import SerializerFunctionWrapHandler, model_serializer

from longtake.memory.records import Record


class Agreement(Record):
    """A judge compared with a reference; a positive verdict means that the criterion is met.

    A figure is None if there is nothing to divide by. The JSON has the figures next to the counts.
    """

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Agreement:
        """Count pairs of the reference's verdict and the judge's."""
        counts = {(True, True): 0, (False, True): 0, (True, False): 0, (False, False): 0}
        for pair in pairs:
            counts[pair] += 1
        return cls(
            true_positive=counts[True, True],
            false_positive=counts[False, True],
            false_negative=counts[True, False],
            true_negative=counts[False, False],
        )

    @property
    def figures(self) -> Mapping[str, float | None]:
        """What follows from the counts, by name."""
        names = ("accuracy", "f1", "false_positive_rate", "false_negative_rate", "kappa")
        return {name: getattr(self, name) for name in names}

    @property
    def n(self) -> int:
        """Number of verdicts."""
        return self.true_positive + self.false_positive + self.false_negative + self.true_negative

    @property
    def accuracy(self) -> float | None:
        """Share of equal verdicts."""
        return _share(self.true_positive + self.true_negative, self.n)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall of the positive verdict."""
        return _share(2 * self.true_positive, 2 * self.true_positive + self.false_positive + self.false_negative)

    @property
    def false_positive_rate(self) -> float | None:
        """Share of the reference's negatives that the judge calls positive."""
        return _share(self.false_positive, self.false_positive + self.true_negative)

    @property
    def false_negative_rate(self) -> float | None:
        """Share of the reference's positives that the judge calls negative."""
        return _share(self.false_negative, self.false_negative + self.true_positive)

    @property
    def kappa(self) -> float | None:
        """Agreement beyond chance (Cohen 1960); None if chance alone explains everything."""
        if not self.n:
            return None
        judged, held = self.true_positive + self.false_positive, self.true_positive + self.false_negative
        chance = (judged * held + (self.n - judged) * (self.n - held)) / self.n**2
        observed = (self.true_positive + self.true_negative) / self.n
        return None if chance == 1 else (observed - chance) / (1 - chance)

    @model_serializer(mode="wrap")
    def _with_figures(self, counts: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {**counts(self), "n": self.n, **self.figures}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
