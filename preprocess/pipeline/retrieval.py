"""Hybrid search with the query embedded by the run's own engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from longtake.errors import EngineError
from longtake.memory.index import Hit, Index, SearchFilter, Vectors
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.engines.text_embedding import TextEmbedding


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """How a query gets into one vector space: the space's id, its floor, and texts to vectors."""

    space: str
    floor: float
    embed: Callable[[Sequence[str]], Vectors]


def retrieve(query: str, where: SearchFilter, k: int, engines: EngineTable, index: Index) -> list[Hit]:
    """The k best events for a query; by words alone where nothing can embed it."""
    vectors: dict[str, Vectors] = {}
    for embedding in query_embeddings(engines):
        with suppress(EngineError):
            vectors[embedding.space] = embedding.embed([query])[0]
    return index.search(query, vectors, where, k)


def query_embeddings(engines: EngineTable) -> Iterator[QueryEmbedding]:
    """The spaces that a query can be searched in here: texts, then pictures."""
    with suppress(EngineError):
        text: TextEmbedding = engines.load("text_embedding")
        yield QueryEmbedding(text.id, text.floor, text.embed)
    with suppress(EngineError):
        pictures: ImageTextEmbedding = engines.load("image_text_embedding")
        yield QueryEmbedding(pictures.id, pictures.floor, pictures.embed_texts)
