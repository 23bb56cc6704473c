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
from longtake.memory.closer_readings import ANSWERS, Reading
from longtake.memory.layers import Layer, content_key
from longtake.memory.library import Library, VideoRecord
from longtake.memory.records import Modality
from longtake.memory.search.search_index import Batch, Document
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.documents import SOURCES, VERSION, documents_of
from longtake.preprocess.layers.frame_vectors import frame_batch
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
    """Whether the text vectors, if there are any, are those of the documents that these layers give."""
    embedded = layers.get("text_vectors")
    return embedded is None or embedded.count == len(documents_of("", layers))


def make_findable(video: VideoRecord, layers: Mapping[str, Layer], library: Library, index: Index) -> VideoRecord:
    """Index the layers, unless the index is up to date; without text vectors, only words can be found."""
    key = index_key(layers)
    if video.indexed == key and index.holds(video.id):
        return video
    embedded, pictures = layers.get("text_vectors"), layers.get("frame_vectors")
    documents = documents_of(video.id, layers)
    vectors = load_vectors(embedded) if embedded else None
    if vectors is None or len(vectors) != len(documents):  # embedded by a version that made different documents
        batches = [Batch("", documents, None)]
    else:
        batches = [Batch(embedded.engine if embedded else "", documents, vectors)]
    if pictures:
        batches.append(frame_batch(video.id, pictures))
    index.replace(video.id, batches)
    video = video.model_copy(update={"indexed": key})
    library.save(video)
    return video


def make_readings_findable(video: VideoRecord, library: Library, index: Index) -> tuple[str, ...]:
    """Index the readings of a video, unless the index is up to date; returns a note if that fails.

    Called before a search rather than after each look: that takes a second at most, however many looks there were, and
    almost nothing if there were none. The documents of the layers don't change.
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


def _readings_key(video: VideoRecord, library: Library) -> str:
    key = library.refined.key(video.id, video.layers)
    return content_key(str(VERSION), key) if key else ""


def _index_readings(video_id: str, library: Library, index: Index) -> None:
    """Index the current readings; under the video's lock nobody can delete the video or add a reading."""
    video = library.get(video_id)
    if video is None:  # deleted meanwhile
        return
    key = _readings_key(video, library)
    if not index.holds(video_id, refined=key):
        layers = {name: layer for name in SOURCES if (layer := library.layer(video, name))}
        readings = [
            reading
            for reading in library.refined.readings(video_id, video.layers)
            if reading.recipe.name not in ANSWERS
        ]
        index.replace(video_id, _refined_batches(video_id, readings, layers), refined=key)


def _refined_batches(video_id: str, readings: Sequence[Reading], layers: Mapping[str, Layer]) -> list[Batch]:
    """The documents that closer looks add, by vector space, without text that is already searchable around there."""
    inputs = {name for reading in readings for name in reading.recipe.inputs}
    findable: defaultdict[tuple[Modality, str], list[TimeSpan]] = defaultdict(list)
    for document in documents_of(video_id, {name: layer for name, layer in layers.items() if name in inputs}):
        findable[document.modality, document.text].append(document.span)
    batches: list[Batch] = []
    by_space = attrgetter("space")
    for space, alike in groupby(sorted(readings, key=by_space), key=by_space):
        documents: list[Document] = []
        vectors: list[bytes] = []
        for reading in alike:
            rows = _rows(reading)
            for number, item in enumerate(reading.found):
                spans = findable[item.modality, item.content]
                if not any(span.overlaps(reading.span) for span in spans):
                    spans.append(reading.span)
                    documents.append(_document(reading, number))
                    vectors.append(rows[item.content])
        if documents:
            embedded = np.frombuffer(b"".join(vectors), np.float32).reshape(len(documents), -1) if space else None
            batches.append(Batch(space, documents, embedded))
    return batches


def _rows(reading: Reading) -> dict[str, bytes]:
    """The vector of each text."""
    width = len(reading.vectors) // max(1, len(reading.texts))
    return {text: reading.vectors[row * width :][:width] for row, text in enumerate(reading.texts)}


def _document(reading: Reading, number: int) -> Document:
    item = reading.found[number]
    return Document(
        id=f"{reading.video}:{reading.recipe.name}:{reading.recipe.key}:{reading.span.start}:{number}",
        video=reading.video,
        span=item.span,
        modality=item.modality,
        text=item.content,
        engine=item.engine,
        layer=item.layer,
        score=item.score,
        trusted=item.trusted,
    )
