"""The layer `speakers`: who speaks when, from names in the subtitles or else from the voices.

The vectors of voices are grouped by speaker, without knowing how many there are, by spectral clustering with the
normalised maximum eigengap (NME-SC; Park et al. 2020, "Auto-tuning spectral clustering for speaker diarization using
normalized maximum eigengap"): the number of neighbours and the number of speakers both follow from the data. On a few
seconds of speech it splits one voice into many groups, so groups with similar means are merged.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longtake.memory.building import LayerWriter
from longtake.memory.layers import Layer, LayerRecipe
from longtake.memory.search.search_types import Vectors
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.audio.speech_engine import RATE, STEP, WINDOW, SpeakerEngine
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.audio import AudioBlock, read_audio

MAX_SPEAKERS = 12
_MAX_CLUSTERED = 500  # vectors; the others join the nearest group
_NEIGHBOURS = 0.3  # largest share of the vectors that count as neighbours of one
_TRIED = 20  # numbers of neighbours to compare
_SAME = 0.85  # cosine of two groups' means from which they are one speaker
_OF_ONE = 10  # vectors that establish a speaker
_CERTAIN = 3  # groups that the eigengap finds reliably
_ROUNDS = 100
Labels = npt.NDArray[np.intp]
NAME = "speakers"
_SHORTEST = 0.3  # seconds of voice that tell anything about it


class Speakers:
    """Builds items {start, end, speaker, trusted}.

    `speaker` is a name from the subtitles, or a number in order of appearance. Turns found by voice aren't trusted,
    because similar voices are confused.
    """

    name = NAME
    capability = NAME

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer if the subtitles name speakers or if there are voices."""
        written, sounds = job.layers.get("subtitles"), job.layers.get("sounds")
        if written and any(_named(written)):
            return (LayerRecipe(NAME, 1, "subtitles", inputs={written.name: written.key}),)
        if sounds is None or not _voices(sounds):
            return ()
        engine: SpeakerEngine = job.engines.load(NAME)
        return (LayerRecipe(NAME, 1, engine.id, inputs={sounds.name: sounds.key}),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Take the names of the subtitles, or encode the voiced passages block by block and group them by voice."""
        writer = writers[NAME]
        written = job.layers.get("subtitles")
        if written and any(_named(written)):
            for cue in _named(written):
                writer.add({key: cue[key] for key in ("start", "end", "speaker")} | {"trusted": True})
            writer.cover(written.covered)
            return
        sounds = job.layers["sounds"]
        for turn in turns_of(list(_passages(job, _voices(sounds)))):
            times = {"start": round(turn.start, 3), "end": round(turn.end, 3)}
            writer.add(times | {"speaker": str(turn.speaker), "trusted": False})
        writer.cover(sounds.covered)


def _named(written: Layer) -> Iterator[Mapping[str, object]]:
    return (cue for cue in written.items() if cue.get("speaker"))


def _voices(sounds: Layer) -> list[TimeSpan]:
    return [TimeSpan(start=item["start"], end=item["end"]) for item in sounds.items() if item["kind"] == "speech"]


def _passages(job: IndexJob, voices: Sequence[TimeSpan]) -> Iterator[Passage]:
    engine: SpeakerEngine = job.engines.load(NAME)
    blocks = read_audio(job.path, job.media, rate=RATE, check_cancelled=job.check_cancelled)
    for number, block in enumerate(blocks):
        pieces = list(_cut(block, voices))
        name = f"{number:05d}"
        data = job.chunks.get(name)
        if data is None:
            vectors = engine.embed([block.samples[first:last] for first, last in pieces])
            buffer = io.BytesIO()
            np.savez(buffer, *vectors, allow_pickle=False)
            data = buffer.getvalue()
            job.chunks.put(name, data)
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            for (first, last), key in zip(pieces, stored.files, strict=True):
                yield Passage(block.start + first / RATE, block.start + last / RATE, stored[key])
        job.progress(min(1.0, block.end / max(block.end, job.media.duration)))


def _cut(block: AudioBlock, voices: Iterable[TimeSpan]) -> Iterator[tuple[int, int]]:
    """The voiced samples of a block, as first and last."""
    for voice in voices:
        first = max(0, round((voice.start - block.start) * RATE))
        last = min(len(block.samples), round((voice.end - block.start) * RATE))
        if last - first >= _SHORTEST * RATE:
            yield first, last


def speakers_of(vectors: Vectors) -> Labels:
    """The group of each vector, numbered from 0 in order of first appearance.

    Args:
        vectors: rows of length 1, shape (n, dimensions), n at least 1.
    """
    chosen = np.unique(np.linspace(0, len(vectors) - 1, min(len(vectors), _MAX_CLUSTERED)).round().astype(int))
    groups = _clustered(vectors[chosen])
    if groups.max() >= _CERTAIN:
        groups = _merged(vectors[chosen], groups)
    nearest = (vectors @ _means(vectors[chosen], groups).T).argmax(axis=1)
    nearest[chosen] = groups
    _, first, labels = np.unique(nearest, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[labels]


def _clustered(vectors: Vectors) -> Labels:
    count = len(vectors)
    if count < 2 * _OF_ONE:
        return np.zeros(count, np.intp)
    order = np.argsort(-(vectors @ vectors.T), axis=1, kind="stable")
    most = max(2, round(count * _NEIGHBOURS))
    tried: list[tuple[float, int, int]] = []
    for neighbours in np.unique(np.linspace(2, most, _TRIED).round().astype(int)):
        values = np.linalg.eigvalsh(_laplacian(order[:, :neighbours]))
        gaps = np.diff(values[: min(MAX_SPEAKERS, count // _OF_ONE) + 1])
        score = (neighbours / count) / (gaps.max() / (values[-1] + 1e-9) + 1e-9)
        tried.append((float(score), int(neighbours), int(gaps.argmax()) + 1))
    _, neighbours, found = min(tried)
    return _k_means(np.linalg.eigh(_laplacian(order[:, :neighbours]))[1][:, :found], found)


def _laplacian(neighbours: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """The unnormalised Laplacian of the graph that links each vector with its neighbours, given by row."""
    links = np.zeros((len(neighbours), len(neighbours)))
    np.put_along_axis(links, neighbours, 1.0, axis=1)
    links = (links + links.T) / 2
    return np.diag(links.sum(axis=1)) - links


def _k_means(points: npt.NDArray[np.float64], count: int) -> Labels:
    """Lloyd's algorithm from centres that are far apart."""
    centres = points[:1]
    while len(centres) < count:
        distance = np.square(points[:, None] - centres[None]).sum(axis=2).min(axis=1)
        centres = np.concatenate([centres, points[[distance.argmax()]]])
    groups = np.zeros(len(points), np.intp)
    for _ in range(_ROUNDS):
        groups = np.square(points[:, None] - centres[None]).sum(axis=2).argmin(axis=1)
        present = [points[groups == group].mean(axis=0) for group in range(count) if (groups == group).any()]
        if len(present) == len(centres) and np.allclose(present, centres):
            break
        centres, count = np.array(present), len(present)
    return groups


def _merged(vectors: Vectors, groups: Labels) -> Labels:
    """Merge the most similar groups while they are one voice."""
    while groups.max() > 0:
        means = _means(vectors, groups)
        similar = means @ means.T
        np.fill_diagonal(similar, -1.0)
        one, other = np.unravel_index(similar.argmax(), similar.shape)
        if similar[one, other] < _SAME:
            break
        groups = np.unique(np.where(groups == other, one, groups), return_inverse=True)[1]
    return groups


def _means(vectors: Vectors, groups: Labels) -> Vectors:
    means = np.array([vectors[groups == group].mean(axis=0) for group in range(int(groups.max()) + 1)])
    unit: Vectors = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
    return unit


_PAUSE = 1.0  # seconds of silence within a turn
_SMOOTHED = 3  # neighbouring windows that decide together


@dataclass(frozen=True, slots=True)
class Passage:
    """A voiced passage in seconds, with the vectors of its windows, (windows, dimensions)."""

    start: float
    end: float
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class SpeakerTurn:
    """What one speaker says without another in between; speakers count from 1 in order of appearance."""

    start: float
    end: float
    speaker: int


def turns_of(passages: Sequence[Passage]) -> list[SpeakerTurn]:
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


def _pieces(passage: Passage, groups: Sequence[int]) -> Iterable[SpeakerTurn]:
    """One piece for each window: the seconds nearest to its centre."""
    edges = [passage.start + (number + 0.5) * STEP + WINDOW / 2 for number in range(len(groups) - 1)]
    bounds = [passage.start, *(min(edge, passage.end) for edge in edges), passage.end]
    for number, group in enumerate(groups):
        if bounds[number] < bounds[number + 1]:
            yield SpeakerTurn(bounds[number], bounds[number + 1], group + 1)


def _joined(pieces: Iterable[SpeakerTurn]) -> list[SpeakerTurn]:
    joined: list[SpeakerTurn] = []
    for piece in pieces:
        if joined and joined[-1].speaker == piece.speaker and piece.start - joined[-1].end <= _PAUSE:
            joined[-1] = SpeakerTurn(joined[-1].start, piece.end, piece.speaker)
        else:
            joined.append(piece)
    return joined
