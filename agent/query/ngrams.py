"""Counts hashed words, word pairs and word pieces, which a sentence embedding blurs."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from longtake.agent.query.softmax import Matrix
from longtake.language.languages import ENGLISH, language_in

DIMENSIONS = 1024
_PIECE = 4  # letters; a typo leaves most pieces of a word intact
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_DIGITS = re.compile(r"\d+")


def hashed(texts: Sequence[str]) -> Matrix:
    """Logarithmic counts as rows of length 1, (texts, `DIMENSIONS`); all zero in other languages than the examples'."""
    counts = np.zeros((len(texts), DIMENSIONS), np.float32)
    for row, text in enumerate(texts):
        for part in _parts(text) if language_in(text) == ENGLISH else ():
            counts[row, zlib.crc32(part.encode()) % DIMENSIONS] += 1
    damped: Matrix = np.log1p(counts)
    lengths = np.maximum(np.linalg.norm(damped, axis=1, keepdims=True), 1e-6)
    unit: Matrix = damped / lengths
    return unit


def plain_words(text: str) -> list[str]:
    """The words of a text in order, with every number as 0."""
    # Not those of `language.words`: models were fitted with this normalisation.
    return _WORD.findall(_DIGITS.sub("0", text))


def _parts(text: str) -> Iterator[str]:
    words = plain_words(text.casefold())
    yield from words
    yield from (f"{one} {other}" for one, other in pairwise(words))
    for word in words:
        edged = f"^{word}$"
        yield from (edged[start : start + _PIECE] for start in range(len(edged)))
