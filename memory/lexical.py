"""Word search: BM25 over all current documents (Robertson et al. 1994, in Lucene's form, by bm25s).

The index is derived from the documents, named by what it was built from, and may be deleted at any time.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import numpy.typing as npt

from longtake.memory.terms import document_terms, query_terms

Scores = npt.NDArray[np.float32]
logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG when imported
_NOTHING = "\x00"  # a term no text holds: bm25s cannot index a document without terms


class LexicalIndex:
    """BM25 scores for every document; positions follow the order of the texts."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @classmethod
    def build(cls, texts: Sequence[str]) -> LexicalIndex:
        """Index texts; there must be at least one."""
        model = bm25s.BM25(method="lucene")
        model.index([document_terms(text) or [_NOTHING] for text in texts], show_progress=False)
        return cls(model)

    @classmethod
    def cached(cls, folder: Path, texts: Callable[[], Sequence[str]]) -> LexicalIndex:
        """The index kept in a folder, or built from the texts and kept there when it can be."""
        with suppress(OSError, ValueError, KeyError):
            return cls(bm25s.BM25.load(folder, mmap=True))
        built = cls.build(texts())
        with suppress(OSError):  # a library that may not be written to is searched all the same
            built._keep(folder)
        return built

    def scores(self, query: str) -> Scores:
        """One score per document; 0 where no term of the query occurs."""
        known = [term for term in query_terms(query) if term in self._model.vocab_dict]
        if not known:
            return np.zeros(self._model.scores["num_docs"], np.float32)
        return np.asarray(self._model.get_scores(known), np.float32)

    def _keep(self, folder: Path) -> None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        building = tempfile.mkdtemp(prefix=".building-", dir=folder.parent)
        try:
            self._model.save(building, show_progress=False)
            os.rename(building, folder)
        finally:
            shutil.rmtree(building, ignore_errors=True)
