"""Text embedding and reranking with models in GGUF files, through llama.cpp on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import httpx
import numpy as np

from longtake.errors import EngineError
from longtake.lazy import cached_property
from longtake.memory.search.search_types import Vectors
from longtake.models.catalogue import Task
from longtake.models.folder import installed
from longtake.preprocess.engines.llama_cpp.gguf_header import has_classifier, read_header
from longtake.preprocess.engines.llama_cpp.server import missing_gguf, reading_server
from longtake.preprocess.engines.transformers_folders import content_id
from longtake.settings import Settings

_CONTEXT = 1_024  # tokens of a text
_LETTERS = 2_000  # of a text; the rest is cut off, so that it fits the context
_TEXTS = 32  # in one request


class GgufEmbedding:
    """The model's own pooling, or the mean over the tokens if its file names none."""

    def __init__(self, settings: Settings) -> None:
        """Load nothing yet; `missing_model` has checked the file."""
        self._server = reading_server(settings, _model(settings) or "", _CONTEXT, "vectors")
        self.floor = settings.text_embedding.floor

    @cached_property
    def id(self) -> str:
        """The file's name and a hash of its ends."""
        return _identity(self._server.file)

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector."""
        return read_header(self._server.file).number("embedding_length", 0)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `TextEmbedding`: (texts, dimensions) float32; a text without letters and digits is all zero.

        Raises:
            EngineError: if the model can't be loaded, or is no embedding model.
        """
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        worded = [place for place, text in enumerate(texts) if any(map(str.isalnum, text))]
        with self._server.client() as client:
            for start in range(0, len(worded), _TEXTS):
                places = worded[start : start + _TEXTS]
                rows[places] = self._embed(client, [texts[place][:_LETTERS] for place in places])
        return rows

    def _embed(self, client: httpx.Client, texts: list[str]) -> Vectors:
        self._server.ready()
        try:
            reply = client.post("http://llama.cpp/v1/embeddings", json={"input": texts, "encoding_format": "float"})
            data = reply.raise_for_status().json()["data"]
            found: Vectors = np.array([row["embedding"] for row in data], np.float32)
            lengths: Vectors = np.linalg.norm(found, axis=1, keepdims=True)
            return found / lengths
        except (httpx.HTTPError, LookupError, TypeError, ValueError) as error:
            name = self._server.file.name
            raise EngineError(f"llama.cpp got no vectors from {name} ({error}): name an embedding model.") from error


class GgufReranker:
    """A model with a classifier, such as bge-reranker."""

    def __init__(self, settings: Settings) -> None:
        """Load nothing yet; `missing_reranker` has checked the file."""
        model = settings.reranking.model or _fetched("reranking") or ""
        self._server = reading_server(settings, model, _CONTEXT, "scores")

    @cached_property
    def id(self) -> str:
        """The file's name and a hash of its ends."""
        return _identity(self._server.file)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker`."""
        asked = {"query": query[:_LETTERS], "documents": [text[:_LETTERS] for text in texts]}
        scores = [0.0] * len(texts)
        self._server.ready()
        try:
            with self._server.client() as client:
                reply = client.post("http://llama.cpp/v1/rerank", json=asked).raise_for_status()
            for row in reply.json()["results"]:
                scores[row["index"]] = float(row["relevance_score"])
        except (httpx.HTTPError, LookupError, TypeError, ValueError) as error:
            name = self._server.file.name
            raise EngineError(f"llama.cpp got no scores from {name} ({error}): name a reranker.") from error
        return scores


def missing_model(settings: Settings) -> str | None:
    """Why no GGUF file can embed texts here, and what to do; None if one can. Nothing is loaded."""
    model = _model(settings)
    if model is None:
        return "no model: fetch one with `longtake models pull qwen3-embedding-0.6b`"
    return missing_gguf(settings, model, "text_embedding.model", "vectors")


def missing_reranker(settings: Settings) -> str | None:
    """The same for rerankers."""
    model = settings.reranking.model or _fetched("reranking")
    if model is None:
        return "no model: fetch one with `longtake models pull bge-reranker-v2-m3`"
    if reason := missing_gguf(settings, model, "reranking.model", "scores"):
        return reason
    if not has_classifier(Path(model).expanduser()):
        return f"{model} isn't a reranker: fetch one with `longtake models pull bge-reranker-v2-m3`"
    return None


def _model(settings: Settings) -> str | None:
    return settings.text_embedding.model or _fetched("text vectors")


def _fetched(task: Task) -> str | None:
    """The best GGUF file of a task in the models folder."""
    return next((str(each.path) for each in installed(task) if each.path.suffix == ".gguf"), None)


def _identity(file: Path) -> str:
    return f"gguf-{file.stem}-{content_id([file])}"
