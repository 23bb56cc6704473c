"""Turns of speakers from the groups of their windows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from longtake.memory.search.search_index import Vectors
from longtake.preprocess.analysis.speaker_clusters import speakers_of
from longtake.preprocess.engines.audio.speaker_engine import STEP, WINDOW

_PAUSE = 1.0  # seconds of silence within a turn
_SMOOTHED = 3  # neighbouring windows that decide together


@dataclass(frozen=True, slots=True)
class Passage:
    """A voiced passage in seconds, with the vectors of its windows, (windows, dimensions)."""

    start: float
    end: float
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says without another in between; speakers count from 1 in order of appearance."""

    start: float
    end: float
    speaker: int


def turns_of(passages: Sequence[Passage]) -> list[Turn]:
    """The turns of all passages, in order."""
    if not passages:
        return []
    groups = speakers_of(np.concatenate([passage.vectors for passage in passages]))
    numbers = iter(groups.tolist())
    pieces = [
        piece
        for passage in passages
        for piece in _pieces(passage, _smooth([next(numbers) for _ in range(len(passage.vectors))]))
    ]
    return _joined(pieces)


def _smooth(groups: list[int]) -> list[int]:
    """Each window's group as most of its neighbours have it; its own if they disagree."""
    around = _SMOOTHED // 2
    smoothed = []
    for place, group in enumerate(groups):
        near = groups[max(0, place - around) : place + around + 1]
        smoothed.append(max(near, key=lambda other: (near.count(other), other == group)))
    return smoothed


def _pieces(passage: Passage, groups: Sequence[int]) -> Iterable[Turn]:
    """One piece for each window: the seconds nearest to its centre."""
    edges = [passage.start + (number + 0.5) * STEP + WINDOW / 2 for number in range(len(groups) - 1)]
    bounds = [passage.start, *(min(edge, passage.end) for edge in edges), passage.end]
    for number, group in enumerate(groups):
        if bounds[number] < bounds[number + 1]:
            yield Turn(bounds[number], bounds[number + 1], group + 1)


def _joined(pieces: Iterable[Turn]) -> list[Turn]:
    joined: list[Turn] = []
    for piece in pieces:
        if joined and joined[-1].speaker == piece.speaker and piece.start - joined[-1].end <= _PAUSE:
            joined[-1] = Turn(joined[-1].start, piece.end, piece.speaker)
        else:
            joined.append(piece)
    return joined
