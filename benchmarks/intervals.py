"""Numbers with their uncertainty: medians of repeated runs, and shares of a count."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, median

from longtake.memory.records import Record


class Spread(Record):
    """The median of repeated measurements, with the lowest and highest value."""

    median: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarise at least one value; rounded to 4 decimals."""
        return cls(
            median=round(median(values), 4), low=round(min(values), 4), high=round(max(values), 4), n=len(values)
        )

    def __str__(self) -> str:
        return f"{self.median:.3g} [{self.low:.3g}, {self.high:.3g}] n={self.n}"


class Share(Record):
    """A count out of n as a proportion with its Wilson score interval; without observations, anything from 0 to 1."""

    count: int
    n: int
    share: float | None
    low: float
    high: float

    @classmethod
    def of(cls, count: int, n: int, *, confidence: float = 0.95) -> Share:
        """The Wilson (1927) interval, which stays within 0 to 1 and is honest about small counts."""
        if n == 0:
            return cls(count=0, n=0, share=None, low=0.0, high=1.0)
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        share = count / n
        centre = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return cls(
            count=count,
            n=n,
            share=round(share, 4),
            low=round(max(0.0, centre - half), 4),
            high=round(min(1.0, centre + half), 4),
        )

    def __str__(self) -> str:
        if self.share is None:
            return "none asked"
        return f"{self.count} of {self.n} = {self.share:.0%} [{self.low:.0%}, {self.high:.0%}]"
