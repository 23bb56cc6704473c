"""WordLlama: static token vectors pulled out of a language model and averaged (github.com/dleemiller/WordLlama).

The model lies in the package's own wheel: nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from longtake.config import Settings
from longtake.errors import EngineError
from longtake.memory.search.search_index import Vectors


class WordLlamaEmbedding:
    """256-d averages of token vectors: quick on a CPU, blind to word order."""

    dimensions = 256
    # Measured: 15 questions about things that 291 real subtitle cues do not speak of reached 0.26 at most, and good
    # paraphrases lay at 0.41 and above ("safety" and "perfectly safe": 0.43).
    floor = 0.35

    def __init__(self, settings: Settings) -> None:
        self.id = f"wordllama-{version('wordllama')}-l2_supercat_{self.dimensions}"

    @cached_property
    def _model(self) -> Any:
        import wordllama  # here: it takes half a second, and its floor is asked for where its vectors are not

        try:
            return wordllama.WordLlama.load(
                cache_dir=Path(wordllama.__file__).parent, dim=self.dimensions, disable_download=True
            )
        except (OSError, ValueError) as error:
            raise EngineError(
                f"WordLlama's model cannot be read ({error}): pip install --force-reinstall wordllama"
            ) from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, 256) float32."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        vectors = np.asarray(self._model.embed(list(texts)), np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-6)
        return unit
