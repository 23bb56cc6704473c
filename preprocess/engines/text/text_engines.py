"""The protocols of engines for text: reading it in pictures, translating, summarising, ranking and embedding it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from longtake.memory.search.search_types import Vectors
from longtake.preprocess.engines.text.vector_space import EmbeddingSpace

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TextBox:
    """One text in a picture; `box` is left, top, width and height as fractions of the picture."""

    text: str
    box: Box
    confidence: float


class SceneTextEngine(Protocol):
    """Reads text in pictures."""

    @property
    def id(self) -> str:
        """Model, version and the size it reads at."""
        ...

    def read(self, picture: npt.NDArray[np.uint8], long_side: int | None = None) -> list[TextBox]:
        """Find and read the texts in a picture, (height, width, 3) BGR, in any order.

        With `long_side`, reading is thorough and slower: detection uses this many pixels on the long side instead of
        the engine's setting. A smaller picture is never enlarged.
        """
        ...

    def read_all(self, pictures: Sequence[npt.NDArray[np.uint8]]) -> list[list[TextBox]]:
        """Read each picture as `read` does, several at the same time where that is faster."""
        ...

    def read_region(self, picture: npt.NDArray[np.uint8], box: Box) -> TextBox:
        """Read one line at a known place without detection, fast enough for every frame of a counter.

        Nothing is filtered: without text there, the result is empty or has low confidence.
        """
        ...


class Translator(Protocol):
    """Translates between some languages, given as codes: `es`, `pt-BR`."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    @property
    def trusted(self) -> bool:
        """Whether its translations may prove a claim, or only lead to a place."""
        ...

    def missing(self, source: str, target: str) -> str | None:
        """Why it can't translate from `source` into `target`, and what to do; None if it can."""
        ...

    def sources(self, target: str) -> list[str]:
        """Codes of the languages that it can distinguish from `target` and translate into it."""
        ...

    def foreign(self, texts: Sequence[str], source: str, target: str) -> list[bool] | None:
        """Which of the texts are in `source` rather than in `target`; None if it can't distinguish them."""
        ...

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate texts, each one non-empty paragraph.

        Raises:
            EngineError: if the translator fails.
        """
        ...


class Summarizer(Protocol):
    """An extractive summariser: it chooses sentences and adds nothing."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    def summarize(self, sentences: Sequence[str], count: int) -> list[int]:
        """Indices of at most `count` sentences, in text order."""
        ...


class Reranker(Protocol):
    """Scores how well texts answer a query: slower than vectors, and better."""

    @property
    def id(self) -> str:
        """Model and version."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number for each text; a higher one is better.

        Raises:
            EngineError: if the model can't be loaded, is no reranker, or doesn't know the language.
        """
        ...


class TextEmbedding(EmbeddingSpace, Protocol):
    """Embeds texts."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, dimensions) float32; a text without a known word is all zero.

        Raises:
            EngineError: if the model can't be loaded.
        """
        ...
