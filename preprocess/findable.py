"""Making a video findable: the search index is brought up to its layers."""

from __future__ import annotations

from collections.abc import Mapping

from longtake.memory.index import Batch, Index
from longtake.memory.layers import Layer, content_key
from longtake.memory.library import Library, VideoRecord
from longtake.preprocess.documents import SOURCES, VERSION, documents_of
from longtake.preprocess.frame_vectors import frame_batch
from longtake.preprocess.text_vectors import load_vectors

_INDEXED = (*SOURCES, "text_vectors", "frame_vectors")


def index_key(layers: Mapping[str, Layer]) -> str:
    """What `VideoRecord.indexed` says of a video when the index holds just what these layers hold."""
    return content_key(str(VERSION), *(layers[name].key for name in _INDEXED if name in layers))


def make_findable(video: VideoRecord, layers: Mapping[str, Layer], library: Library, index: Index) -> VideoRecord:
    """Index what the layers hold, unless the index holds just that; without text vectors, words alone are found."""
    key = index_key(layers)
    if video.indexed == key and index.holds(video.id):
        return video
    embedded, pictures = layers.get("text_vectors"), layers.get("frame_vectors")
    documents = documents_of(video.id, layers)
    vectors = load_vectors(embedded) if embedded else None
    if vectors is None or len(vectors) != len(documents):  # embedded by a version that made other documents
        batches = [Batch("", documents, None)]
    else:
        batches = [Batch(embedded.engine if embedded else "", documents, vectors)]
    if pictures:
        batches.append(frame_batch(video.id, pictures))
    index.replace(video.id, batches)
    video = video.model_copy(update={"indexed": key})
    library.save(video)
    return video
