"""Divides a video into chapters where its topic changes, each titled with its most typical line.

The lines are already embedded for search. Dynamic programming finds the change points of their vectors: the least
spread within chapters plus a price for each (kernel change-point detection: Arlot, Celisse and Harchaoui, 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longtake.agent.drafts.statements import without_marks
from longtake.agent.gathering.worded_lines import WordedLine, most_typical, typical_of, worded_lines
from longtake.language.text import without_bullet
from longtake.memory.library import Library, VideoRecord

MAX_TITLE_LENGTH = 100  # characters; YouTube shows no more of a chapter's title
_SHORTEST_VIDEO = 120.0  # seconds; a shorter one is watched, not browsed
_SHORTEST = 30.0  # seconds of a chapter
_MOST = 24  # chapters, so that those of a long video can still be taken in
_PRICE = 0.7  # of a chapter, in mean spreads of a line times the logarithm of their number
_AT_CUT = 0.5  # share of that price at a change of shot
_APART = 1.0  # seconds between two places where a chapter may begin
_FINEST = 2000  # of these places: memory grows with the square
NONE = "{name} has no chapters: it is shorter than two minutes, has one topic, or nothing in it is said or written."

Floats = npt.NDArray[np.float64]


class Chapter(NamedTuple):
    """A chapter, in seconds from the start of the video."""

    start: float
    end: float
    title: str


def video_chapters(library: Library, video: VideoRecord) -> list[Chapter]:
    """The chapters of a video from its start to its end; none if it is short, or about one thing, or without words.

    Raises:
        LibraryError: if a layer is damaged.
    """
    lines = worded_lines(library, video) if video.duration >= _SHORTEST_VIDEO else []
    if not lines:
        return []
    shots = library.layer(video, "shots")
    cuts = [item["start"] for item in shots.items()] if shots else []
    starts = _change_points(lines, cuts, video.duration)
    if len(starts) == 1:
        return []
    chapters = []
    for start, end in pairwise([*starts, video.duration]):
        inside = [line for line in lines if start <= line.start < end]
        chapters.append(Chapter(start, end, _title(inside, lines)))
    return chapters


def _edges(lines: Sequence[WordedLine], cuts: Sequence[float], duration: float) -> list[float]:
    """The seconds at which a chapter may begin: where a line or a shot does, unless that cuts a spoken line in two."""
    begun = np.array([line.start for line in lines if line.document.modality == "speech"])
    ended = np.sort([line.document.span.end for line in lines if line.document.modality == "speech"])
    apart = max(_APART, duration / _FINEST)
    edges = [0.0]
    for at in sorted({*cuts, *(line.start for line in lines)}):
        spoken_over = np.searchsorted(begun, at) > np.searchsorted(ended, at, side="right")
        if apart <= at - edges[-1] and at < duration and not spoken_over:
            edges.append(at)
    return edges


def _change_points(lines: Sequence[WordedLine], cuts: Sequence[float], duration: float) -> list[float]:
    """Where chapters begin, the first at 0: the edges of the least spread within chapters plus their prices."""
    edges = _edges(lines, cuts, duration)
    bounds = np.array([*edges, duration])
    spread = _spread(lines, edges)
    price = _PRICE * np.log(len(lines)) * spread[0, -1] / len(lines)
    prices = np.where(np.isin(edges, cuts), _AT_CUT, 1.0) * price
    shortest = max(_SHORTEST, duration / _MOST)
    best = np.full(len(bounds), np.inf)
    best[0] = 0.0
    before = np.zeros(len(bounds), int)
    for end in range(1, len(bounds)):
        totals = best[:end] + spread[:end, end] + prices[:end]
        totals[bounds[end] - bounds[:end] < shortest] = np.inf
        before[end] = totals.argmin()
        best[end] = totals[before[end]]
    starts, place = [], len(edges)
    while place:
        place = before[place]
        starts.append(float(bounds[place]))
    return starts[::-1]


def _spread(lines: Sequence[WordedLine], edges: Sequence[float]) -> Floats:
    """How far the vectors between two edges are from their mean, squared and summed: (edges + 1, edges + 1).

    Of vectors of length 1, that is their number minus the squared length of their sum over their number.
    """
    places = np.searchsorted(edges, [line.start for line in lines], side="right")
    vectors = np.stack([line.vector for line in lines])
    sums = np.zeros((len(edges) + 1, vectors.shape[1]))
    np.add.at(sums, places, vectors)
    sums = sums.cumsum(axis=0)
    counts = np.bincount(places, minlength=len(edges) + 1).cumsum()
    squares = (sums**2).sum(axis=1)
    lengths = squares[:, None] + squares[None, :] - 2 * sums @ sums.T
    numbers = np.abs(counts[:, None] - counts[None, :])
    spread: Floats = np.round(numbers - lengths / np.maximum(1, numbers), 6)  # equal lines have exactly none
    return spread


def _title(lines: Sequence[WordedLine], overall: Sequence[WordedLine]) -> str:
    short = [line for line in lines if len(line.text) <= MAX_TITLE_LENGTH] or lines
    return title_of(most_typical(short, typical_of(lines, overall))[0].text)


def title_of(text: str) -> str:
    """A text as a title: on one line, without times, cut if it is long."""
    title = " ".join(without_marks(without_bullet(text)).split())
    return title if len(title) <= MAX_TITLE_LENGTH else title[: MAX_TITLE_LENGTH - 1].rstrip() + "…"
