"""Hybrid search with the query embedded by the run's own engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from longtake.errors import EngineError
from longtake.memory.search.fusion import RERANKED, contribution
from longtake.memory.search.search_types import Hit, SearchFilter, Signal, Vectors
from longtake.memory.timespan import joined
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.engines.text.text_engines import Reranker, TextEmbedding

if TYPE_CHECKING:
    from longtake.memory.search.index import Index


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """How to embed a query in one vector space: the space's id, its floor, and the embedding function."""

    space: str
    floor: float
    embed: Callable[[Sequence[str]], Vectors]


def retrieve(query: str, where: SearchFilter, k: int, engines: EngineTable, index: Index) -> list[Hit]:
    """The k best events for a query, in the order of the reranker if there is one, the weak ones last.

    The query is embedded for each space in use; without any, only words count. A library may have vectors of several
    engines, for example after an engine was added or was missing for a while.

    Raises:
        EngineError: if the settings name a reranker that can't be used.
    """
    vectors = query_vectors(query, where.videos, engines, index)
    if engines.report("reranking").engine is None and not engines.settings.reranking.model:
        return index.search(query, vectors, where, k)
    found = index.search(query, vectors, where, max(k, engines.settings.reranking.candidates))
    return _reranked(query, found, engines.load("reranking"))[:k]


def retrieve_any(queries: Sequence[str], where: SearchFilter, k: int, engines: EngineTable, index: Index) -> list[Hit]:
    """The k best events for any of several queries, fused by reciprocal rank (Cormack et al. 2009).

    Events of different queries that share a moment are one, with the moments of both. Events that are weak for
    every query come last.

    Raises:
        EngineError: if the settings name a reranker that can't be used.
    """
    found: list[Hit] = []
    scores: list[list[float]] = []  # of each event: where it fits, and where it is weak
    places: dict[str, int] = {}  # of the event that has a moment
    for query in queries:
        for rank, hit in enumerate(retrieve(query, where, k, engines, index), 1):
            names = [match.moment.id for match in (hit, *hit.also)]
            place = next((places[name] for name in names if name in places), len(found))
            if place == len(found):
                found.append(hit)
                scores.append([0.0, 0.0])
            elif not hit.weak:
                found[place] = hit if found[place].weak else _joined(found[place], hit)
            scores[place][hit.weak] += contribution(rank, engines.settings.search.rrf_constant)
            places.update(dict.fromkeys(names, place))
    best = sorted(range(len(found)), key=lambda place: scores[place], reverse=True)
    return [found[place] for place in best[:k]]


def _joined(event: Hit, other: Hit) -> Hit:
    """An event with the moments of another one that it lacks."""
    known = {match.moment.id for match in (event, *event.also)}
    more = [match for match in (other, *other.also) if match.moment.id not in known]
    return replace(event, span=joined((event.span, other.span))[0], also=(*event.also, *more))


def _reranked(query: str, found: Sequence[Hit], engine: Reranker) -> list[Hit]:
    """The hits by the reranker's score, the weak ones still last; in their order if it fails.

    The name of a sound, such as `music`, is no passage, which a reranker has learned to read: it keeps its place.
    """
    strong = [hit for hit in found if not hit.weak and hit.moment.text]
    others = [hit for hit in found if hit.weak or not hit.moment.text]
    passages = [hit for hit in strong if hit.moment.modality != "audio"]
    try:
        scores = engine.score(query, [hit.moment.text for hit in passages]) if passages else []
    except EngineError:
        return list(found)
    best_first = enumerate(sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0]), 1)
    ordered = (
        replace(hit, signals={**hit.signals, RERANKED: Signal(rank, score)}) for rank, (score, hit) in best_first
    )
    return [*(hit if hit.moment.modality == "audio" else next(ordered) for hit in strong), *others]


def query_vectors(query: str, videos: tuple[str, ...], engines: EngineTable, index: Index) -> dict[str, Vectors]:
    """The vector of a query in each space that these videos have, without those of engines that fail."""
    vectors: dict[str, Vectors] = {}
    spaces = index.spaces(videos)
    for embedding in query_embeddings(engines):
        if embedding.space in spaces:
            with suppress(EngineError):
                vectors[embedding.space] = embedding.embed([query])[0]
    return vectors


def query_embeddings(engines: EngineTable) -> Iterator[QueryEmbedding]:
    """The spaces that a query can be embedded in: texts first, then pictures."""
    texts: list[TextEmbedding] = engines.load_each("text_embedding")
    for text in texts:
        yield QueryEmbedding(text.id, text.floor, text.embed)
    pictures: list[ImageTextEmbedding] = engines.load_each("image_text_embedding")
    for picture in pictures:
        yield QueryEmbedding(picture.id, picture.floor, picture.embed_texts)
