"""Text embedding with WordLlama: averaged static token vectors from a language model (github.com/dleemiller/WordLlama).

The model comes in the package's wheel: nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from longtake.errors import EngineError
from longtake.lazy import cached_property
from longtake.memory.search.search_types import Vectors
from longtake.settings import Settings


class WordLlamaEmbedding:
    """256-d averages of token vectors: fast on a CPU, insensitive to word order."""

    dimensions = 256
    # Measured: 15 questions about things that 291 real subtitle cues don't mention stayed at or below 0.26, and good
    # paraphrases were at or above 0.41 ("safety" and "perfectly safe": 0.43).
    floor = 0.35

    def __init__(self, settings: Settings) -> None:
        self.id = f"wordllama-{version('wordllama')}-l2_supercat_{self.dimensions}"

    @cached_property
    def _model(self) -> Any:
        import wordllama  # takes half a second, and often only the floor is needed

        try:
            return wordllama.WordLlama.load(
                cache_dir=Path(wordllama.__file__).parent, dim=self.dimensions, disable_download=True
            )
        except (OSError, ValueError) as error:
            raise EngineError(
                f"Couldn't read WordLlama's model ({error}): pip install --force-reinstall wordllama"
            ) from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, 256) float32."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        vectors = np.asarray(self._model.embed(list(texts)), np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-6)
        return unit
