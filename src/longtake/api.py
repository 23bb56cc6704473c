"""The public API: a library of videos that is indexed and asked. The command line goes through it too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Self

from longtake.config import Settings, default_library
from longtake.config import load as load_settings
from longtake.errors import LibraryError, LongtakeError
from longtake.memory.library import VideoRecord
from longtake.memory.records import Answer
from longtake.offline import forbid_network
from longtake.preprocess.pipeline.progress import IndexReport, Watcher
from longtake.preprocess.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from longtake.agent.graph.agent import Agent

__all__ = ["Answer", "IndexReport", "Library", "LongtakeError", "Settings", "ask", "index", "load_settings"]
Video = str | PathLike[str]  # the path of a file, or a name or id in the library


class Library:
    """A library of videos on disk, opened with settings. Use it with `with`, or call `close`.

    Every method raises `LongtakeError`, with a sentence that says what to do, where the input, the library or an
    engine cannot be used.
    """

    def __init__(self, folder: str | PathLike[str] | None = None, settings: Settings | None = None) -> None:
        """Open a library; the folder is created if it is missing.

        Args:
            folder: of the library; without one that of the command line.
            settings: as `load_settings` gives them; without them those of the profile `embedded`. Where they say
                `offline`, this process makes no connection beyond this machine from here on.
        """
        settings = settings or load_settings()
        if settings.offline:
            forbid_network()
        root = default_library() if folder is None else Path(folder)
        self.workspace = Workspace(root.expanduser().resolve(), settings)
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def videos(self) -> list[VideoRecord]:
        """The videos of the library, by name."""
        return self.workspace.library.videos()

    def index(self, file: str | PathLike[str], watcher: Watcher | None = None) -> IndexReport:
        """Read a video or sound file into the library; what was read before is only completed.

        Args:
            file: its path; it stays where it is.
            watcher: follows and stops the work.
        """
        return self.workspace.add(Path(file).expanduser(), watcher)

    def ask(
        self,
        videos: Video | Sequence[Video],
        question: str,
        *,
        options: Sequence[str] = (),
        thread: str | None = None,
        watcher: Watcher | None = None,
    ) -> Answer:
        """Answer a question about one or more videos.

        Args:
            videos: one or several; a file that is not in the library is indexed first.
            question: at most 4,000 characters.
            options: of a multiple-choice question, two to ten.
            thread: name of a conversation, which is kept: a question knows the earlier ones of its thread.
            watcher: follows the indexing.
        """
        several = [videos] if isinstance(videos, str | PathLike) else videos
        return self.agent.ask(
            [fspath(each) for each in several], question, options=options, thread=thread, watcher=watcher
        )

    @cached_property
    def agent(self) -> Agent:
        """What answers; made for the first question."""
        from longtake.agent.graph.agent import Agent

        if self._closed:
            raise LibraryError(f"The library {self.workspace.library.root} was closed; open it again to ask.")
        return Agent(self.workspace)

    def close(self) -> None:
        """Close the files of the library; nothing can be asked afterwards."""
        self._closed = True
        agent = self.__dict__.pop("agent", None)
        if agent is not None:
            agent.close()


def ask(
    videos: Video | Sequence[Video],
    question: str,
    *,
    options: Sequence[str] = (),
    folder: str | PathLike[str] | None = None,
    settings: Settings | None = None,
) -> Answer:
    """Answer one question; for several, open a `Library`. The arguments are those of `Library` and `Library.ask`."""
    with Library(folder, settings) as library:
        return library.ask(videos, question, options=options)


def index(
    file: str | PathLike[str], *, folder: str | PathLike[str] | None = None, settings: Settings | None = None
) -> IndexReport:
    """Read one file into a library. The arguments are those of `Library` and `Library.index`."""
    with Library(folder, settings) as library:
        return library.index(file)
