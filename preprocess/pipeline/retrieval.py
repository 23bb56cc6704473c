"""Hybrid search with the query embedded by the run's own engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from longtake.errors import EngineError
from longtake.memory.search.search_index import Hit, Index, SearchFilter, Vectors
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.engines.text.text_embedding import TextEmbedding


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """How to embed a query in one vector space: the space's id, its floor, and the embedding function."""

    space: str
    floor: float
    embed: Callable[[Sequence[str]], Vectors]


def retrieve(query: str, where: SearchFilter, k: int, engines: EngineTable, index: Index) -> list[Hit]:
    """The k best events for a query, the weak ones last.

    The query is embedded for each space in use; without any, only words count. A library may have vectors of several
    engines, for example after an engine was added or was missing for a while.
    """
    vectors: dict[str, Vectors] = {}
    spaces = index.spaces(where.videos)
    for embedding in query_embeddings(engines):
        if embedding.space in spaces:
            with suppress(EngineError):
                vectors[embedding.space] = embedding.embed([query])[0]
    return index.search(query, vectors, where, k)


def query_embeddings(engines: EngineTable) -> Iterator[QueryEmbedding]:
    """The spaces that a query can be embedded in: texts first, then pictures."""
    texts: list[TextEmbedding] = engines.load_each("text_embedding")
    for text in texts:
        yield QueryEmbedding(text.id, text.floor, text.embed)
    pictures: list[ImageTextEmbedding] = engines.load_each("image_text_embedding")
    for picture in pictures:
        yield QueryEmbedding(picture.id, picture.floor, picture.embed_texts)
