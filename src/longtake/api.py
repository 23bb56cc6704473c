"""The public API: index videos and ask questions about them. The command line uses it too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Self

from longtake.config import default_library
from longtake.config import load as load_settings
from longtake.errors import LibraryError, LongtakeError
from longtake.exports.shown import Answer, Video
from longtake.lazy import cached_property
from longtake.offline import forbid_network
from longtake.preprocess.pipeline.progress import IndexReport, Watcher
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.remote import media_path
from longtake.settings import Settings

if TYPE_CHECKING:
    from longtake.agent.graph.agent import Agent
    from longtake.preprocess.pipeline.step_run import StepRunner

__all__ = ["Answer", "IndexReport", "Library", "LongtakeError", "Settings", "Video", "ask", "index", "load_settings"]
Reference = str | PathLike[str]  # a file's path, or a name or id in the library


class Library:
    """A library of videos on disk, opened with settings. Use it with `with`, or call `close`.

    Every method raises `LongtakeError` with a sentence that says what to do if the input, the library or an engine
    can't be used.
    """

    def __init__(self, folder: str | PathLike[str] | None = None, settings: Settings | None = None) -> None:
        """Open a library. The folder is created if missing.

        Args:
            folder: the library folder; by default that of the command line.
            settings: from `load_settings`; by default the profile `embedded`. With `offline` set, this process makes no
                further connections beyond this machine.
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

    def videos(self) -> list[Video]:
        """The videos of the library, by name; a warning is logged for each whose record is damaged."""
        library = self.workspace.library
        library.warn_of_damage()
        return [Video.of(video, library.root) for video in library.videos()]

    def index(
        self,
        file: str | PathLike[str],
        watcher: Watcher | None = None,
        runner: StepRunner | None = None,
        *,
        subtitles: Sequence[str | PathLike[str]] = (),
    ) -> IndexReport:
        """Index a video, an audio file or a transcript. An incomplete index is completed.

        Args:
            file: its path, or the name or id of a video in the library. The file isn't copied.
            watcher: receives progress and can stop the work.
            runner: where the steps run, such as the `RaySteps` of a cluster; by default here.
            subtitles: subtitle files to use for it, besides those that its name finds; they replace earlier ones.
        """
        path = media_path(file)
        library = self.workspace.library
        library.check_writable()  # else the first file that can't be written is named, which says nothing
        known = None if path.exists() else library.find(fspath(file))
        report = self.workspace.add(
            media_path(known.path) if known else path, watcher, runner, [media_path(each) for each in subtitles]
        )
        return replace(report, video=Video.of(report.video, library.root))

    def ask(
        self,
        videos: Reference | Sequence[Reference],
        question: str,
        *,
        options: Sequence[str] = (),
        thread: str | None = None,
        watcher: Watcher | None = None,
    ) -> Answer:
        """Answer a question about one or more videos.

        Args:
            videos: one or several; a file that isn't in the library is indexed first.
            question: at most 4,000 characters.
            options: two to ten options of a multiple-choice question.
            thread: name of a stored conversation: a question knows the earlier ones of its thread.
            watcher: follows the indexing.
        """
        several = [videos] if isinstance(videos, str | PathLike) else videos
        answer = self.agent.ask(
            [fspath(each) for each in several], question, options=options, thread=thread, watcher=watcher
        )
        return Answer.of(answer, self.workspace.library.root)

    def likeliest(self, question: str) -> list[str]:
        """The ids of the videos to ask: all of the library or, if there are many, those with the closest lines.

        Raises:
            LibraryError: if the library is empty.
        """
        self.workspace.library.warn_of_damage()
        return self.agent.likeliest(question)

    @cached_property
    def agent(self) -> Agent:
        """The agent, created for the first question."""
        from longtake.agent.graph.agent import Agent

        if self._closed:
            raise LibraryError(f"The library {self.workspace.library.root} is closed. Open it again to ask.")
        return Agent(self.workspace)

    def close(self) -> None:
        """Close the library's files. No question can be asked afterwards."""
        self._closed = True
        agent = self.__dict__.pop("agent", None)
        if agent is not None:
            agent.close()


def ask(
    videos: Reference | Sequence[Reference],
    question: str,
    *,
    options: Sequence[str] = (),
    folder: str | PathLike[str] | None = None,
    settings: Settings | None = None,
) -> Answer:
    """Answer one question. For several, open a `Library`. The arguments are those of `Library` and `Library.ask`."""
    with Library(folder, settings) as library:
        return library.ask(videos, question, options=options)


def index(
    file: str | PathLike[str], *, folder: str | PathLike[str] | None = None, settings: Settings | None = None
) -> IndexReport:
    """Index one file. The arguments are those of `Library` and `Library.index`."""
    with Library(folder, settings) as library:
        return library.index(file)
