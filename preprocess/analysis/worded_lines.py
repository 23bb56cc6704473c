"""The lines of a video with their vectors, and which of them are typical of a part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from longtake.language.terms import content_words
from longtake.memory.layers import Layer
from longtake.memory.records import Moment
from longtake.memory.search.search_types import Vectors
from longtake.preprocess.analysis.spoken_sentences import spoken_sentences
from longtake.preprocess.layers.layer_moments import SOURCES, moments_of
from longtake.preprocess.layers.text_vectors import load_vectors

_LAYERS = ("subtitles", "speech", "scene_text", "captions")  # what `speakers` adds repeats their lines
_ENOUGH = 5  # words of a line that says something by itself


class WordedLine(NamedTuple):
    """A line that is said, shown or described, and its vector of length 1."""

    moment: Moment
    vector: Vectors

    @property
    def start(self) -> float:
        """When the line starts, in seconds."""
        return self.moment.span.start

    @property
    def text(self) -> str:
        """What is said, shown or described."""
        return self.moment.text


def worded_lines(video_id: str, layers: Mapping[str, Layer]) -> list[WordedLine]:
    """Trusted lines of speech, on-screen text and captions in order of time; empty if the video has no text vectors.

    Args:
        video_id: of the video.
        layers: those in use, by name.

    Raises:
        LibraryError: if a layer is damaged.
    """
    sources = {name: layers[name] for name in SOURCES if name in layers}
    vectors: Vectors | tuple[()] = ()
    if embedded := layers.get("text_vectors"):
        with suppress(FileNotFoundError):  # another one has taken its place meanwhile
            vectors = load_vectors(embedded)
    moments = moments_of(video_id, sources)
    if len(moments) != len(vectors):  # embedded by a version that made different moments
        return []
    worded = {layers[name].key for name in _LAYERS if name in layers}
    lines = [WordedLine(*each) for each in zip(moments, vectors, strict=True)]
    kept = [line for line in lines if line.moment.layer in worded and line.moment.trusted and line.vector.any()]
    return sorted(kept, key=lambda line: line.start)


def by_sentence(lines: Sequence[WordedLine]) -> list[WordedLine]:
    """The lines, with whole sentences for the cues of speech; one has the vectors of its cues, by their shares."""
    cues: list[WordedLine] = []
    sentences: list[WordedLine] = []
    for line in lines:
        (cues if line.moment.modality == "speech" else sentences).append(line)
    for sentence in spoken_sentences([line.moment for line in cues]):
        shares = [sentence.span.shared(line.moment.span) for line in cues]
        vector: Vectors = np.sum([share * line.vector for share, line in zip(shares, cues, strict=True)], axis=0)
        length = float(np.linalg.norm(vector))
        if length:
            sentences.append(WordedLine(sentence, vector / length))
    return sorted(sentences, key=lambda line: line.start)


def typical_of(lines: Sequence[WordedLine], overall: Sequence[WordedLine]) -> Vectors:
    """Towards what lines have in common, and away from what the lines of the whole video have in common."""
    return _direction(lines) - _direction(overall)


def most_typical(lines: Sequence[WordedLine], typical: Vectors) -> list[WordedLine]:
    """The lines, best first; a single word or a date says little by itself."""

    def score(line: WordedLine) -> float:
        words = sum(word.isalpha() for word in content_words(line.text))
        return float(line.vector @ typical) * min(1.0, words / _ENOUGH)

    return sorted(lines, key=score, reverse=True)


def _direction(lines: Sequence[WordedLine]) -> Vectors:
    total = np.sum([line.vector for line in lines], axis=0)
    direction: Vectors = total / max(1e-9, float(np.linalg.norm(total)))
    return direction
