"""Hybrid search with the query embedded by the run's own engine."""

from __future__ import annotations

from longtake.errors import EngineError
from longtake.memory.index import Hit, Index, SearchFilter
from longtake.preprocess.engines import EngineTable


def retrieve(query: str, where: SearchFilter, k: int, engines: EngineTable, index: Index) -> list[Hit]:
    """The k best documents for a query; by words alone where no text embedding is available."""
    try:
        vector = engines.load("text_embedding").embed([query])[0]
    except EngineError:
        vector = None
    return index.search(query, vector, where, k)
