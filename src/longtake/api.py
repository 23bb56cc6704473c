"""The public API: index videos and ask questions about them. The command line uses it too."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Self

from longtake.config import default_library
from longtake.config import load as load_settings
from longtake.errors import ConfigError, LibraryError, LongtakeError
from longtake.exports.shown import Answer, Video
from longtake.lazy import cached_property
from longtake.memory.timespan import ParsedSpan, SpanError, TimeSpan, clock, parse_span
from longtake.offline import forbid_network
from longtake.preprocess.pipeline.progress import IndexReport, Watcher
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.remote import media_path
from longtake.settings import Settings

if TYPE_CHECKING:
    from longtake.agent.graph.agent import Agent
    from longtake.exports.clip_export import Clip
    from longtake.exports.transcript import TimedLine, Track
    from longtake.memory.records import Modality
    from longtake.memory.search.search_types import Hit
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

    def search(
        self,
        query: str,
        videos: Reference | Sequence[Reference] = (),
        *,
        modalities: Sequence[Modality] = (),
        within: TimeSpan | None = None,
        k: int | None = None,
    ) -> list[Hit]:
        """Find where something is said, written, heard or seen, best first.

        Args:
            query: words or a sentence.
            videos: one or several videos of the library; by default all.
            modalities: only these; by default all.
            within: only this span of the videos.
            k: number of results; by default that of the settings.
        """
        from longtake.memory.search.search_types import SearchFilter

        library = self.workspace.library
        several = [videos] if isinstance(videos, str | PathLike) else videos
        if not several:
            library.warn_of_damage()
        chosen = tuple(library.resolve(fspath(each)).id for each in several)
        return self.workspace.search(query, SearchFilter(chosen, tuple(modalities), within), k)

    def transcript(self, video: Reference, track: Track = "speech") -> list[TimedLine]:
        """What is said in a video, or the text on screen (`track` is "text"), by time."""
        from longtake.exports.transcript import transcript

        return transcript(self.workspace.library, self.workspace.library.resolve(fspath(video)), track)

    def summary(self, video: Reference, *, watcher: Watcher | None = None) -> Answer:
        """What a video is about, each sentence with its time. A file that isn't in the library is indexed first."""
        return self.ask(video, "Summarise this video.", watcher=watcher)

    def clip(self, video: Reference, span: TimeSpan | str, target: str | PathLike[str] | None = None) -> Clip:
        """Save a part of a video as an MP4 file.

        Args:
            video: one of the library.
            span: a `TimeSpan`, or text such as "12:30-13:00".
            target: the new file; by default it is named after the video and the start, in the current folder.
        """
        from longtake.exports.clip_export import Clip, write_clip
        from longtake.preprocess.media.sources import media_at, source

        record = self.workspace.library.resolve(fspath(video))
        parsed = _part(span, record.duration)
        part = parsed.span
        file = source(record)
        if file is None:
            raise LibraryError(f"{record.path} was moved or changed. Index the file again: longtake index FILE")
        start = clock(part.start).replace(":", ".")
        new = Path(f"{Path(record.name).stem}-{start}.mp4" if target is None else target)
        if new.exists():
            raise ConfigError(f"{new} exists: name another file.")
        try:
            write_clip(file, media_at(file, self.workspace.library, record), part, new)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        return Clip(record.id, record.name, part, new, parsed.notes)

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
        from longtake.agent.query.reader import LearnedReader

        if self._closed:
            raise LibraryError(f"The library {self.workspace.library.root} is closed. Open it again to ask.")
        # The models load while the agent is imported, which takes longer.
        threading.Thread(target=LearnedReader(self.workspace.engines).warm, name="models").start()
        from longtake.agent.graph.agent import Agent

        return Agent(self.workspace)

    def close(self) -> None:
        """Close the library's files. No question can be asked afterwards."""
        self._closed = True
        agent = self.__dict__.pop("agent", None)
        if agent is not None:
            agent.close()


def _part(span: TimeSpan | str, duration: float) -> ParsedSpan:
    how = "Give a start and an end, such as 12:30-13:00."
    try:
        parsed = parse_span(span, window=0.0, duration=duration)
    except SpanError as error:
        raise ConfigError(f"{error}. {how}") from error
    if parsed.span.length == 0:
        raise ConfigError(f"{str(span)!r} is a single moment. {how}")
    return parsed


def ask(
    videos: Reference | Sequence[Reference],
    question: str,
    *,
    options: Sequence[str] = (),
    folder: str | PathLike[str] | None = None,
    settings: Settings | None = None,
) -> Answer:
    """Answer one question; for several, open a `Library`.

    Args:
        videos: one or several; a file that isn't in the library is indexed first.
        question: at most 4,000 characters.
        options: two to ten options of a multiple-choice question.
        folder: the library folder; by default that of the command line.
        settings: from `load_settings`; by default the profile `embedded`.
    """
    with Library(folder, settings) as library:
        return library.ask(videos, question, options=options)


def index(
    file: str | PathLike[str], *, folder: str | PathLike[str] | None = None, settings: Settings | None = None
) -> IndexReport:
    """Index one file; an incomplete index is completed.

    Args:
        file: its path, or the name or id of a video in the library. The file isn't copied.
        folder: the library folder; by default that of the command line.
        settings: from `load_settings`; by default the profile `embedded`.
    """
    with Library(folder, settings) as library:
        return library.index(file)
