"""What every command that touches videos works with: library, settings, engines and index, opened on first use."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from longtake.config import Settings
from longtake.errors import EngineError, LibraryError
from longtake.memory.library import Library
from longtake.preprocess.engines import EngineTable

if TYPE_CHECKING:
    from longtake.memory.index import Index
    from longtake.preprocess.engines.text_embedding import TextEmbedding
    from longtake.preprocess.pipeline import IndexReport, Watcher


class Workspace:
    """One library opened with one tree of settings."""

    def __init__(self, root: Path, settings: Settings) -> None:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = f"The library {root} cannot be made: {error.strerror}; choose another with --library."
            raise LibraryError(problem) from error
        self.settings = settings
        self.library = Library(root)
        self.engines = EngineTable(settings)

    @cached_property
    def index(self) -> Index:
        """The search index of the library."""
        from longtake.memory.search import HybridIndex

        constant = self.settings.search.rrf_constant
        try:
            embedding: TextEmbedding = self.engines.load("text_embedding")
        except EngineError:
            return HybridIndex(self.library.index_root, rrf_constant=constant)
        return HybridIndex(self.library.index_root, space=embedding.id, floor=embedding.floor, rrf_constant=constant)

    def add(self, path: Path, watcher: Watcher | None = None) -> IndexReport:
        """Index a file, or what is missing of it."""
        from longtake.preprocess.pipeline import index_file

        return index_file(path, self.library, self.settings, self.engines, self.index, watcher=watcher)
