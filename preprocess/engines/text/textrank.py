"""Extractive summaries with TextRank: sentences vote for those they share words with (Mihalcea and Tarau, 2004)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from longtake.language.terms import content_words
from longtake.settings import Settings

_DAMPING = 0.85
_TOLERANCE = 1e-6
_ROUNDS = 100


class TextRank:
    """Extractive summaries by graph ranking."""

    id = "textrank-1"

    def __init__(self, settings: Settings) -> None:
        pass

    def summarize(self, sentences: Sequence[str], count: int) -> list[int]:
        """Indices of at most `count` sentences, in text order; ties go to the first.

        A sentence with the same words as an earlier one is a last resort. Memory grows with the square of the number of
        sentences: 8 MB for the thousand sentences of an hour-long talk.
        """
        words = [content_words(sentence) for sentence in sentences]
        ranking = np.argsort(-_ranks(_similarity(words)), kind="stable").tolist()
        firsts = {bag: index for index, bag in reversed(list(enumerate(words)))}
        fresh = [index for index in ranking if words[index] and firsts[words[index]] == index]
        again = [index for index in ranking if index not in set(fresh)]
        return sorted((fresh + again)[: max(0, count)])


def _similarity(words: Sequence[frozenset[str]]) -> npt.NDArray[np.float64]:
    """Shared words of each pair of sentences over their log lengths: (sentences, sentences), diagonal 0."""
    vocabulary = {word: column for column, word in enumerate(sorted(frozenset().union(*words)))}
    holds = np.zeros((len(words), len(vocabulary)))
    for row, bag in enumerate(words):
        holds[row, [vocabulary[word] for word in bag]] = 1
    logs = np.log1p(holds.sum(axis=1))  # log(1 + n) where the paper has log(n): one-word sentences stay finite
    norms = logs[:, None] + logs[None, :]
    similar: npt.NDArray[np.float64] = np.divide(holds @ holds.T, norms, out=np.zeros_like(norms), where=norms > 0)
    np.fill_diagonal(similar, 0)
    return similar


def _ranks(similar: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """PageRank of a weighted graph by power iteration; a sentence unlike all others keeps the random surfer's share."""
    sums = similar.sum(axis=1, keepdims=True)
    transition = np.divide(similar, sums, out=np.zeros_like(similar), where=sums > 0)
    ranks = np.ones(len(similar))
    for _ in range(_ROUNDS):
        before, ranks = ranks, (1 - _DAMPING) + _DAMPING * (ranks @ transition)
        if np.abs(ranks - before).max(initial=0.0) < _TOLERANCE:
            break
    return np.round(ranks, 6)
