"""Estimates which line states what a question asks, or that none does: a model of pairs, learned from `passages.jsonl`.

A line can share every word with a question and not answer it. Each line is scored from how alike the two texts are,
as wholes and token by token (late interaction, Khattab and Zaharia 2020), the product of their vectors, and hashed
pairs of a word of the question and a word that the line adds. A softmax over the scores, with 0 for "none of them",
lets the lines compete with each other and with silence.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np

from longtake.agent.query.ngrams import plain_words
from longtake.agent.query.query import Query, Reading
from longtake.agent.query.softmax import Matrix
from longtake.language.words import content_stems, coverage, unsaid

TokenEmbed = Callable[[Sequence[str]], list[Matrix]]  # the vectors of each text's tokens, (tokens, dimensions)
_PAIRS = 1024  # buckets of hashed pairs
_LONG = 30.0  # words of a long line
_LIKELY_TARGETS = 3
_SHARPER = 8.0  # for products of vectors, whose parts are small


@dataclass(frozen=True, slots=True)
class Stating:
    """Weights of `pair_features`, (features,), and the score that every line starts from."""

    weights: Matrix
    bias: float

    def scores(self, rows: Matrix) -> Matrix:
        """How much better each line is than none of them, (lines,), of rows (lines, features)."""
        scores: Matrix = rows @ self.weights + np.float32(self.bias)
        return scores


def shares_of(scores: Matrix) -> Matrix:
    """The chance of each line that it alone states what is asked, (lines,); what is missing to 1 is that none does."""
    highest = max(0.0, float(scores.max(initial=0.0)))
    powers = np.exp(scores - highest)
    shares: Matrix = (powers / (powers.sum() + np.exp(-highest))).astype(np.float32)
    return shares


@cache
def load_stating(family: str) -> Stating | None:
    """The model for a family of embeddings; None if it has none."""
    file = files("longtake.agent.controllers.extractive") / f"stating-{family}.npz"
    if not file.is_file():
        return None
    with np.load(io.BytesIO(file.read_bytes())) as archive:
        return Stating(archive["weights"].astype(np.float32), float(archive["bias"]))


def packed(stating: Stating) -> bytes:
    """Save a model as a file."""
    file = io.BytesIO()
    np.savez_compressed(file, weights=stating.weights.astype(np.float16), bias=np.float16(stating.bias))
    return file.getvalue()


def judge_for(family: str, embed: TokenEmbed) -> Callable[[Query, Sequence[str]], Matrix] | None:
    """What scores lines as answers to a question, (lines,); None without a model for the family of embeddings."""
    stating = load_stating(family)
    if stating is None:
        return None
    return lambda query, lines: stating.scores(pair_features(query.question, query.reading, lines, embed))


def pair_features(question: str, reading: Reading, lines: Sequence[str], embed: TokenEmbed) -> Matrix:
    """The features of each line as the answer to a question, (lines, features)."""
    asked, *tokens = embed([question, *lines])
    wholes = np.array([_unit(each.mean(axis=0)) for each in tokens])
    whole = _unit(asked.mean(axis=0))
    asked_units, units = _units(asked), [_units(each) for each in tokens]
    late = np.array([_late(asked_units, each) for each in units], np.float32)
    stems = content_stems(question)
    plain = np.array(
        [
            (
                float(vector @ whole),
                coverage(stems, line),
                min(1.0, len(line.split()) / _LONG),
                float(line.rstrip().endswith("?")),
            )
            for line, vector in zip(lines, wholes, strict=True)
        ],
        np.float32,
    )
    compared = np.concatenate([plain[:, :2], late], axis=1)
    pairs = _pairs(question, reading, lines)
    parts = [plain, late, compared - compared.max(axis=0), _SHARPER * wholes * whole, pairs]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _late(asked: Matrix, said: Matrix) -> tuple[float, float, float]:
    """How alike the tokens of two texts are: of the question to the line, the other way, and of the least alike one."""
    likeness = asked @ said.T
    best = likeness.max(axis=1)
    return float(best.mean()), float(likeness.max(axis=0).mean()), float(best.min())


def _pairs(question: str, reading: Reading, lines: Sequence[str]) -> Matrix:
    """Hashed pairs of what is asked and what a line adds, as rows of length 1, (lines, `_PAIRS`)."""
    words = _shapes(question)
    parts = {*words, *(f"{one} {other}" for one, other in pairwise(words))}
    targets = sorted(reading.targets.items(), key=lambda pair: -pair[1])[:_LIKELY_TARGETS]
    rows = np.zeros((len(lines), _PAIRS), np.float32)
    for row, line in zip(rows, lines, strict=True):
        new = unsaid(line, question)
        added = {*_shapes(new), f"words {min(9, len(new.split()) // 3)}"}
        for word in added:
            for part in parts:
                row[_bucket(f"{part}|{word}")] += 1
            for target, share in targets:
                row[_bucket(f"{target}:{word}")] += 3 * share
    damped = np.log1p(rows)
    unit: Matrix = damped / np.maximum(np.linalg.norm(damped, axis=1, keepdims=True), 1e-6)
    return unit


def _shapes(text: str) -> list[str]:
    """The words of a text with every number as 0, and marks for a name and for a number."""
    found: list[str] = []
    for place, word in enumerate(plain_words(text)):
        found.append(word.casefold())
        if place and word[0].isupper():
            found.append("^name")
        if "0" in word:
            found.append("^number")
    return found


def _bucket(key: str) -> int:
    return zlib.crc32(key.encode()) % _PAIRS


def _unit(vector: Matrix) -> Matrix:
    unit: Matrix = vector / max(float(np.linalg.norm(vector)), 1e-6)
    return unit


def _units(rows: Matrix) -> Matrix:
    units: Matrix = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    return units
