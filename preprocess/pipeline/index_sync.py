"""Makes a video searchable: updates the search index from its layers and from closer looks at it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from filelock import Timeout

from longtake.errors import LibraryError
from longtake.memory.closer_readings import ANSWERS, CloserReading
from longtake.memory.layers import Layer, content_key
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.records import Modality, Moment
from longtake.memory.search.search_types import Batch
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.frame_vectors import frame_batch
from longtake.preprocess.layers.layer_moments import SOURCES, VERSION, moments_of
from longtake.preprocess.layers.text_vectors import load_vectors

if TYPE_CHECKING:
    from longtake.memory.search.index import Index

LOCK_SECONDS = 2.0  # to wait for a video's lock at question time; a process that holds it longer is building layers
_INDEXED = (*SOURCES, "text_vectors", "frame_vectors")


def index_key(layers: Mapping[str, Layer]) -> str:
    """The value of `VideoRecord.indexed` when the index has exactly the content of these layers."""
    return key_of({name: layer.key for name, layer in layers.items()})


def key_of(keys: Mapping[str, str]) -> str:
    """As `index_key`, for the keys of layers by name."""
    return content_key(str(VERSION), *(keys[name] for name in _INDEXED if name in keys))


def text_vectors_fit(layers: Mapping[str, Layer]) -> bool:
    """Whether the text vectors, if there are any, are those of the moments that these layers give."""
    embedded = layers.get("text_vectors")
    return embedded is None or embedded.count == len(moments_of("", layers))


def make_findable(video: VideoRecord, layers: Mapping[str, Layer], library: LibraryStore, index: Index) -> VideoRecord:
    """Index the layers, unless the index is up to date; without text vectors, only words can be found."""
    key = index_key(layers)
    if video.indexed == key and index.holds(video.id):
        return video
    embedded, pictures = layers.get("text_vectors"), layers.get("frame_vectors")
    moments = moments_of(video.id, layers)
    vectors = load_vectors(embedded) if embedded else None
    if vectors is None or len(vectors) != len(moments):  # embedded by a version that made different moments
        batches = [Batch("", moments, None)]
    else:
        batches = [Batch(embedded.engine if embedded else "", moments, vectors)]
    if pictures:
        batches.append(frame_batch(video.id, pictures))
    index.replace(video.id, batches)
    video = video.model_copy(update={"indexed": key})
    library.save(video)
    return video


def make_readings_findable(video: VideoRecord, library: LibraryStore, index: Index) -> tuple[str, ...]:
    """Index the readings of a video, unless the index is up to date; returns a note if that fails.

    Called before a search rather than after each look: that takes a second at most, however many looks there were, and
    almost nothing if there were none. The moments of the layers don't change.
    """
    try:
        if index.holds(video.id, refined=_readings_key(video, library)):
            return ()
        with library.lock(video.id).acquire(timeout=LOCK_SECONDS):
            _index_readings(video.id, library, index)
    except Timeout:
        return (f"{video.name} is being indexed, so the search leaves out recent closer looks",)
    except (LibraryError, OSError) as error:
        reason = error if library.writable else "the library can't be written"
        return (f"the search leaves out recent closer looks: {reason}",)
    return ()


def _readings_key(video: VideoRecord, library: LibraryStore) -> str:
    key = library.closer_readings.key(video.id, video.layers)
    return content_key(str(VERSION), key) if key else ""


def _index_readings(video_id: str, library: LibraryStore, index: Index) -> None:
    """Index the current readings; under the video's lock nobody can delete the video or add a reading."""
    video = library.get(video_id)
    if video is None:  # deleted meanwhile
        return
    key = _readings_key(video, library)
    if not index.holds(video_id, refined=key):
        layers = {name: layer for name in SOURCES if (layer := library.layer(video, name))}
        readings = [
            reading
            for reading in library.closer_readings.current(video_id, video.layers)
            if reading.recipe.name not in ANSWERS
        ]
        index.replace(video_id, _refined_batches(video_id, readings, layers), refined=key)


def _refined_batches(video_id: str, readings: Sequence[CloserReading], layers: Mapping[str, Layer]) -> list[Batch]:
    """The moments that closer looks add, by vector space, without text that is already searchable around there."""
    inputs = {name for reading in readings for name in reading.recipe.inputs}
    findable: defaultdict[tuple[Modality, str], list[TimeSpan]] = defaultdict(list)
    for moment in moments_of(video_id, {name: layer for name, layer in layers.items() if name in inputs}):
        findable[moment.modality, moment.text].append(moment.span)
    batches: list[Batch] = []
    by_space = attrgetter("space")
    for space, alike in groupby(sorted(readings, key=by_space), key=by_space):
        moments: list[Moment] = []
        vectors: list[bytes] = []
        for reading in alike:
            rows = _rows(reading)
            for item in reading.found:
                spans = findable[item.modality, item.text]
                if not any(span.overlaps(reading.span) for span in spans):
                    spans.append(reading.span)
                    moments.append(item)
                    vectors.append(rows[item.text])
        if moments:
            embedded = np.frombuffer(b"".join(vectors), np.float32).reshape(len(moments), -1) if space else None
            batches.append(Batch(space, moments, embedded))
    return batches


def _rows(reading: CloserReading) -> dict[str, bytes]:
    """The vector of each text."""
    width = len(reading.vectors) // max(1, len(reading.texts))
    return {text: reading.vectors[row * width :][:width] for row, text in enumerate(reading.texts)}
