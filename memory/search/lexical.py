"""Word search: BM25 (Robertson et al. 1994, in Lucene's form) over segments.

Each segment holds the postings of its own documents; term frequencies across the library are counted at query time. So
adding a video doesn't reread the text of any other, which no BM25 library offers.

Terms are stored as 64-bit hashes: among a million terms, the chance that any two collide is 3 in 100 million.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longtake.memory.search.fusion import Positions, Scores
from longtake.memory.search.terms import document_terms

Mask = npt.NDArray[np.bool_]
_K1 = 1.5  # how quickly repeats of a term stop counting
_B = 0.75  # how strongly long texts are penalised


@dataclass(frozen=True, slots=True)
class Postings:
    """Which rows of a segment contain which term.

    The rows of `terms[n]` (sorted) are `rows[starts[n]:starts[n + 1]]`; the same slice of `counts` says how often each
    row contains it. `lengths` is the number of terms in each row.
    """

    terms: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint16]
    lengths: npt.NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Postings:
        """Index texts; row n is text n."""
        found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = np.zeros(len(texts), np.int32)
        for row, text in enumerate(texts):
            terms = document_terms(text)
            lengths[row] = len(terms)
            for term, count in Counter(terms).items():
                found[term].append((row, count))
        hashes = hash_terms(list(found))
        order = np.argsort(hashes)
        entries = list(found.values())
        pairs = np.array([pair for place in order for pair in entries[place]], np.int64).reshape(-1, 2)
        return cls(
            terms=hashes[order],
            starts=np.cumsum([0, *(len(entries[place]) for place in order)], dtype=np.int64),
            rows=pairs[:, 0].astype(np.int32),
            counts=np.minimum(pairs[:, 1], np.iinfo(np.uint16).max).astype(np.uint16),
            lengths=lengths,
        )

    @classmethod
    def joined(cls, pieces: Sequence[tuple[Postings, int, int]]) -> Postings:
        """Lay pieces end to end: each is so many rows of a segment, from a first one on."""
        sources = {id(source): source for source, _, _ in pieces}
        moved = {name: np.full(len(source.lengths), -1, np.int64) for name, source in sources.items()}
        at = 0
        for source, first, count in pieces:
            moved[id(source)][first : first + count] = np.arange(at, at + count)
            at += count
        terms, rows, counts = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)], [np.zeros(0, np.uint16)]
        for name, source in sources.items():
            target = moved[name][source.rows]
            kept = target >= 0
            terms.append(np.repeat(source.terms, np.diff(source.starts))[kept])
            rows.append(target[kept].astype(np.int32))
            counts.append(source.counts[kept])
        every, places = np.concatenate(terms), np.concatenate(rows)
        order = np.lexsort((places, every))
        known, starts = np.unique(every[order], return_index=True)
        return cls(
            terms=known,
            starts=np.append(starts, len(every)).astype(np.int64),
            rows=places[order],
            counts=np.concatenate(counts)[order],
            lengths=np.concatenate(
                [np.zeros(0, np.int32), *(source.lengths[first : first + count] for source, first, count in pieces)]
            ),
        )

    def find(self, hashes: npt.NDArray[np.uint64]) -> tuple[Positions, Positions]:
        """Where the rows of each term begin and end; both are equal if no row contains it."""
        places = np.searchsorted(self.terms, hashes)
        known = places < len(self.terms)
        known[known] = self.terms[places[known]] == hashes[known]
        return self.starts[places], self.starts[places + known]


class LexicalIndex:
    """BM25 over the segments of a library, in their order; position n is row n of the segments laid end to end."""

    def __init__(self, segments: Sequence[Postings], counted: Sequence[bool | Mask] = ()) -> None:
        """Lay segments end to end.

        Args:
            segments: in order.
            counted: which rows of each segment count towards term rarity and average text length; by default all do.
                Readings of closer looks can be found but don't affect other scores.
        """
        self._segments = segments
        self._firsts = np.cumsum([0, *(len(segment.lengths) for segment in segments)], dtype=np.int64)
        lengths = np.concatenate([np.zeros(0, np.int32), *(segment.lengths for segment in segments)])
        self._counted = np.ones(len(lengths), np.bool_)
        for first, end, counts in zip(self._firsts, self._firsts[1:], counted, strict=False):
            self._counted[first:end] = counts
        self._documents = int(np.count_nonzero(self._counted))
        known = lengths[self._counted]
        mean = known.mean() if known.any() else 1.0
        self._damping = (_K1 * (1 - _B + _B * lengths / mean)).astype(np.float32)

    def scores(self, terms: Sequence[str]) -> Scores:
        """One score per position; 0 if it contains none of the terms."""
        scores = np.zeros(len(self._damping), np.float32)
        hashes = hash_terms(terms)
        found = [segment.find(hashes) for segment in self._segments]
        for number in range(len(terms)):
            places = [
                (segment, first, begin[number], end[number])
                for segment, first, (begin, end) in zip(self._segments, self._firsts, found, strict=False)
                if begin[number] < end[number]
            ]
            if places:
                positions = np.concatenate([first + segment.rows[begin:end] for segment, first, begin, end in places])
                counts = np.concatenate([segment.counts[begin:end] for segment, _, begin, end in places])
                rarity = _rarity(self._documents, int(np.count_nonzero(self._counted[positions])))
                scores[positions] += rarity * counts / (counts + self._damping[positions])
        return scores


def hash_terms(terms: Sequence[str]) -> npt.NDArray[np.uint64]:
    """64-bit hashes, the same on every machine."""
    digests = b"".join(hashlib.blake2b(term.encode(), digest_size=8).digest() for term in terms)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def _rarity(documents: int, matching: int) -> np.float32:
    """Lucene's inverse document frequency, never negative."""
    return np.float32(np.log1p((documents - matching + 0.5) / (matching + 0.5)))
