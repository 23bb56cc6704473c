"""The workspace shared by all commands on videos: library, settings, engines and index, opened on first use."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import Timeout

from longtake.errors import file_error
from longtake.lazy import cached_property
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.preprocess.engines import EngineTable
from longtake.settings import Settings

if TYPE_CHECKING:
    from longtake.memory.search.index import Index
    from longtake.memory.search.search_types import Hit, SearchFilter
    from longtake.preprocess.pipeline.progress import IndexReport, Watcher
    from longtake.preprocess.pipeline.step_run import StepRunner

log = logging.getLogger(__name__)


class Workspace:
    """A library opened with settings."""

    def __init__(self, root: Path, settings: Settings) -> None:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise file_error(error, root) from error
        self.settings = settings
        self.library = LibraryStore(root, settings.library.database, settings.library.layers)
        self.engines = EngineTable(settings)

    @cached_property
    def index(self) -> Index:
        """The search index of the library; one of an earlier version is built again first.

        Raises:
            LibraryError: if it can't be.
        """
        from longtake.memory.search.index import Index
        from longtake.preprocess.pipeline.retrieval import query_embeddings

        floors = {embedding.space: embedding.floor for embedding in query_embeddings(self.engines)}
        search = self.settings.search
        index = Index(
            self.library.index_root,
            floors=floors,
            rrf_constant=search.rrf_constant,
            chroma=search.chroma,
            refill=lambda: self.restore(self.library.videos()),
        )
        if index.outdated and self.library.writable:
            self._renew(index)
        return index

    def _renew(self, index: Index) -> None:
        """Build the index of an earlier version again; what is left of it goes once all videos are in the new one."""
        with self.library.lock("search-index"):
            if not index.outdated:  # another process has done it
                return
            log.warning("The search index is of an earlier version: it is built again from the layers.")
            videos = self.library.videos()
            self._restore(videos, index)
            if all(index.holds(video.id) for video in videos):
                index.forget_earlier()

    def restore(self, videos: Iterable[VideoRecord]) -> None:
        """Add what is missing from the search index: because it was lost, an older version wrote it, or a layer
        couldn't be read when it was written.
        """
        self._restore(videos, self.index)

    def _restore(self, videos: Iterable[VideoRecord], index: Index) -> None:
        from longtake.preprocess.pipeline.index_sync import key_of, make_findable

        for video in videos:
            held = index.holds(video.id)
            if held and video.indexed == key_of(video.layers):
                continue
            try:
                with self.library.lock(video.id).acquire(timeout=0):
                    if current := self.library.get(video.id):
                        layers, _ = self.library.sound_layers(current)
                        make_findable(current, layers, self.library, index)
            except Timeout:  # it is being indexed
                continue
            except OSError as error:
                if not held:  # otherwise what it holds is searched
                    raise file_error(error, self.library.root) from error

    def search(self, query: str, where: SearchFilter, k: int | None = None) -> list[Hit]:
        """The k best events for a query, by default as many as the settings say; readings are made findable first."""
        from longtake.preprocess.pipeline.index_sync import make_readings_findable
        from longtake.preprocess.pipeline.retrieval import retrieve

        videos = self.library.videos()
        self.restore(videos)
        for video in videos:
            if not where.videos or video.id in where.videos:
                for remark in make_readings_findable(video, self.library, self.index):
                    log.warning(remark)
        return retrieve(query, where, k or self.settings.search.k, self.engines, self.index)

    def rename(self, video: VideoRecord, names: Mapping[str, str]) -> VideoRecord:
        """Give names to entities of a video; see `rename_entities`."""
        from longtake.preprocess.pipeline.pipeline import rename_entities

        return rename_entities(video, names, self.library, self.settings, self.engines, self.index)

    def forget_faces(self) -> None:
        """Take the people whose faces were enrolled out of all videos; see `forget_faces`."""
        from longtake.preprocess.pipeline.pipeline import forget_faces

        for video in self.library.videos():
            forget_faces(video, self.library, self.settings, self.engines, self.index)

    def add(
        self,
        path: Path,
        watcher: Watcher | None = None,
        runner: StepRunner | None = None,
        subtitles: Sequence[Path] = (),
    ) -> IndexReport:
        """Index a file, or its missing layers, with steps that run here unless a runner is given; see `index_file`."""
        from longtake.preprocess.pipeline.pipeline import index_file
        from longtake.preprocess.pipeline.step_run import run_step

        return index_file(
            path,
            self.library,
            self.settings,
            self.engines,
            self.index,
            watcher=watcher,
            runner=runner or run_step,
            subtitles=subtitles,
        )
