"""Estimates with uncertainty that account for dependent items of one video.

The interval is a percentile bootstrap over videos (Field and Welsh 2007); the standard error is the one clustered by
video of Liang and Zeger (1986), its variance times G / (G - 1) for G videos. A few videos show too little of the spread
between videos: what is found in fewer than `FEWEST_VIDEOS` has a value, and neither interval nor error. Subjects are
compared on the same items: a bootstrap of the paired difference, McNemar's exact test (1947), which takes items for
independent, and a randomisation test (Fisher 1935) in which all differences in a video change their sign together; from
many videos signs are drawn, and the probability is (1 + hits) / (1 + drawings), after Phipson and Smyth (2010).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from statistics import NormalDist, correlation
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from longtake.memory.records import Record

T = TypeVar("T")
CONFIDENCE = 0.95
POWER = 0.8
FEWEST_VIDEOS = 6  # of fewer, no flips of signs have a probability below 5 %: 2 / 2^5 is 6 %
RESAMPLES = 2000
_SEED = 0
FLIPS = 9999
_EXACT_VIDEOS = 12  # up to this many, every way to flip their signs is tried
_DRAWN = 1 << 18  # videos drawn at a time

Floats = NDArray[np.float64]
Tables = Sequence[Sequence[tuple[Floats, Floats]]]  # of groups: each member's sums earned and possible, by video


class Estimate(Record):
    """A mean (or a ratio of sums) with its interval and clustered standard error.

    Without observations, all of them are None; with too few videos, all except the value. The interval is also None if
    most resamples of videos leave a task of a macro mean empty.
    """

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    n: int
    videos: int

    def __str__(self) -> str:
        if self.value is None:
            return "none"
        if self.low is None or self.high is None:
            return f"{self.value:z.1f}"
        return f"{self.value:z.1f} [{self.low:z.1f}, {self.high:z.1f}]"


def plain(value: float | None, n: int = 0, videos: int = 0) -> Estimate:
    """A figure without an interval."""
    return Estimate(
        value=None if value is None else round(value, 4), low=None, high=None, error=None, n=n, videos=videos
    )


Rows = Mapping[str, Estimate]  # a table: its rows by name


def quotient(part: float, whole: float) -> float | None:
    """A part of a whole; None if the whole is nothing."""
    return part / whole if whole else None


def pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The correlation of pairs; None of fewer than three, or where one side is the same in all."""
    if len(pairs) < 3 or any(len(set(side)) == 1 for side in zip(*pairs, strict=True)):
        return None
    return correlation(*zip(*pairs, strict=True))


class Paired(Record):
    """Two subjects on the same items: the difference of their means, the first's less the second's."""

    difference: Estimate
    only_first: int
    only_second: int
    p_items: float | None = Field(description="McNemar's over items; of graded scores it is the sign test.")
    p_videos: float | None = Field(description="By flips of the signs of videos: items of one video count together.")
    detectable: float | None


class Observation(NamedTuple):
    """What was earned of what could have been, and the video that it belongs to."""

    earned: float
    possible: float
    video: str


def ratio(observations: Iterable[Observation]) -> Estimate:
    """The sum earned over the sum possible, in percent; a plain mean where everything possible is 1."""
    return macro([[list(observations)]])


def mean(values: Sequence[float], videos: Sequence[str]) -> Estimate:
    """The mean, in percent, of values that belong to videos."""
    return ratio(Observation(value, 1.0, video) for value, video in zip(values, videos, strict=True))


def grouped(named: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    """What belongs to each name, in the order of first appearance."""
    groups: dict[str, list[T]] = {}
    for name, one in named:
        groups.setdefault(name, []).append(one)
    return groups


def rows(named: Iterable[tuple[str, Observation]]) -> dict[str, Estimate]:
    """The ratio of each name's observations, in the order of first appearance."""
    return {name: ratio(group) for name, group in grouped(named).items()}


def macro(groups: Sequence[Sequence[Sequence[Observation]]]) -> Estimate:
    """The plain mean over groups of the plain mean over their members of each one's ratio, in percent.

    The bootstrap draws videos, each with all that belongs to it, and draws the same ones each time.

    What could earn nothing has no part in a mean.
    """
    members = [member for group in groups for member in group]
    n = sum(map(len, members))
    names = sorted({one.video for member in members for one in member})
    value = _value(groups)
    if value is None or len({one.video for member in members for one in member if one.possible}) < FEWEST_VIDEOS:
        return plain(None if value is None else 100 * value, n, len(names))
    earning = [[member for member in group if _sums(member)[1]] for group in groups]
    tables = [[_by_video(member, names) for member in group] for group in earning if group]
    interval = _interval(tables, len(names))
    low, high = (round(100 * bound, 4) for bound in interval) if interval else (None, None)
    return Estimate(
        value=round(100 * value, 4),
        low=low,
        high=high,
        error=round(100 * _linearised_error(tables), 4),
        n=n,
        videos=len(names),
    )


def paired(first: Sequence[float], second: Sequence[float], videos: Sequence[str]) -> Paired:
    """Compare two subjects on the same items; `detectable` is the least difference that such a comparison shows.

    It is None if the difference has no error, or if it is the same in every video.
    """
    differences = [one - other for one, other in zip(first, second, strict=True)]
    difference = mean(differences, videos)
    only_first, only_second = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    normal = NormalDist()
    reach = normal.inv_cdf((1 + CONFIDENCE) / 2) + normal.inv_cdf(POWER)
    return Paired(
        difference=difference,
        only_first=only_first,
        only_second=only_second,
        p_items=mcnemar(only_first, only_second) if differences else None,
        p_videos=sign_flips(differences, videos) if differences else None,
        detectable=round(reach * difference.error, 4) if difference.error else None,
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided exact probability of so uneven a split of the items on which two subjects differ."""
    differing = only_first + only_second
    tail = ways = 1
    for k in range(min(only_first, only_second)):
        ways = ways * (differing - k) // (k + 1)
        tail += ways
    return min(1.0, float(2 * tail / 2**differing))


def sign_flips(differences: Sequence[float], videos: Sequence[str]) -> float:
    """The two-sided probability of so large a sum of differences, were each video's sign a toss of a coin."""
    by_video: dict[str, float] = {}
    for difference, video in zip(differences, videos, strict=True):
        by_video[video] = by_video.get(video, 0.0) + difference
    differing = np.array([each for each in by_video.values() if each])  # a sum of 0 is the same with either sign
    total = differing.sum()

    def hits(kept: NDArray[np.int64]) -> int:
        # Less a little, for sums of the same numbers in another order.
        return int(np.count_nonzero(np.abs(2 * (kept @ differing) - total) >= abs(total) - 1e-9))

    if len(differing) <= _EXACT_VIDEOS:
        ways = np.arange(2 ** len(differing))[:, np.newaxis] >> np.arange(len(differing)) & 1
        return hits(ways) / len(ways)
    drawing = np.random.default_rng(_SEED)
    drawn = (drawing.integers(0, 2, (rows, len(differing))) for rows in _blocks(FLIPS, len(differing)))
    return (1 + sum(map(hits, drawn))) / (1 + FLIPS)


def _sums(member: Iterable[Observation]) -> tuple[float, float]:
    """What was earned, and what could have been."""
    earned = possible = 0.0
    for one in member:
        earned, possible = earned + one.earned, possible + one.possible
    return earned, possible


def _value(groups: Sequence[Sequence[Sequence[Observation]]]) -> float | None:
    """The macro mean; None if nothing could be earned."""
    shares = [[earned / possible for earned, possible in map(_sums, group) if possible] for group in groups]
    means = [sum(group) / len(group) for group in shares if group]
    return sum(means) / len(means) if means else None


def _by_video(member: Iterable[Observation], names: Sequence[str]) -> tuple[Floats, Floats]:
    """The sums earned and possible of each video."""
    place = {name: number for number, name in enumerate(names)}
    earned, possible = np.zeros(len(names)), np.zeros(len(names))
    for one in member:
        earned[place[one.video]] += one.earned
        possible[place[one.video]] += one.possible
    return earned, possible


def _blocks(rows: int, videos: int) -> Iterator[int]:
    """How many rows of this many videos to draw at a time, so that they take little memory."""
    most = max(1, _DRAWN // videos)
    return (min(most, rows - first) for first in range(0, rows, most))


def _interval(tables: Tables, videos: int) -> tuple[float, float] | None:
    """The bounds over the drawings that leave no member without anything; None if most of them do."""
    drawing = np.random.default_rng(_SEED)
    drawn = (drawing.integers(0, videos, (rows, videos)) for rows in _blocks(RESAMPLES, videos))
    resampled = np.concatenate([_macro_of(tables, each) for each in drawn])
    if 2 * np.isnan(resampled).sum() > RESAMPLES:
        return None
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.nanpercentile(resampled, [tail, 100 - tail])
    return float(low), float(high)


def _macro_of(tables: Tables, drawn: NDArray[np.int64]) -> Floats:
    """The macro mean for each resample of videos; NaN if a resample leaves a member empty.

    The mean of the remaining members would be a different figure with a different spread.
    """
    with np.errstate(invalid="ignore"):
        groups = [
            np.mean([earned[drawn].sum(axis=1) / possible[drawn].sum(axis=1) for earned, possible in group], axis=0)
            for group in tables
        ]
    return np.asarray(np.mean(groups, axis=0), dtype=np.float64)


def _linearised_error(tables: Tables) -> float:
    """The standard error clustered by video: each video's residuals over the sums possible, in all means together."""
    shares = [
        (earned - possible * (earned.sum() / possible.sum())) / possible.sum() / len(group) / len(tables)
        for group in tables
        for earned, possible in group
    ]
    influence = np.sum(shares, axis=0)
    videos = len(influence)
    return sqrt(videos / (videos - 1) * float(np.square(influence).sum()))
