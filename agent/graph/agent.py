"""Answers one question: indexes what is missing, runs the graph and keeps the trace."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock, Timeout

from longtake.agent.controllers.factory import make_controllers
from longtake.agent.gathering.moments import LibraryMoments
from longtake.agent.graph.graph import Graph, build_graph
from longtake.agent.graph.known_videos import Known, known_video
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.running import run_graph
from longtake.agent.graph.state import REMEMBERED, Question, Turn
from longtake.agent.graph.threads import close_threads, keep_last, open_threads, usable_threads
from longtake.agent.query.query import split_options
from longtake.agent.query.reader import LearnedReader
from longtake.agent.traces.trace import Trace, Watch
from longtake.errors import LibraryError, LongtakeError, MediaError, ThreadBusy, wrap_disk_errors
from longtake.lazy import cached_property
from longtake.memory.conversations import Conversations
from longtake.memory.library import VideoRecord
from longtake.memory.notes import Notes
from longtake.memory.records import Answer
from longtake.memory.search.search_types import SearchFilter
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.progress import Watcher
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.redaction import keys_of
from longtake.remote import media_path
from longtake.tools.catalogue import offered_tools
from longtake.tools.core.frames import Frames
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres import PostgresSaver
    from langgraph.checkpoint.sqlite import SqliteSaver

MAX_QUESTION_LENGTH = 4_000  # characters
MAX_OPTIONS = 10
MAX_OPTION_LENGTH = 1_000  # characters
MAX_VIDEOS = 20  # of a question from another program
MAX_THREAD_LENGTH = 200  # characters of its name
_ANY = "What is it about?"  # a question whose answer nobody waits for
_SEARCHED = 100  # lines that choose among many videos
INDEXING = 0.8  # of the time may go into indexing; the rest is for the answer


class Agent:
    """Answers questions in one workspace. Keeps the graph and the controller between questions, but no tool results."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        offered_tools(workspace.settings)  # a tool that doesn't exist is reported now
        self._reader = LearnedReader(workspace.engines)
        self._controllers = make_controllers(workspace.settings, self._reader)
        self._notes = Notes(workspace.library.memory)
        self._conversations = Conversations(workspace.library.memory)
        self._graph = build_graph(None)

    @cached_property
    def _threads(self) -> SqliteSaver | PostgresSaver:
        """The checkpoints of threads, opened by the first question of one: others work without them."""
        return open_threads(self._workspace.library)

    @cached_property
    def _threaded(self) -> Graph:
        return build_graph(self._threads)

    def check(self, videos: Sequence[str]) -> None:
        """Raise `LongtakeError` if a video is neither a media file nor in the library."""
        for reference in videos:
            _resolve(self._workspace, reference)

    def warm(self) -> None:
        """Load what every question needs, so that the first one doesn't wait; a question says what is missing."""
        with suppress(LongtakeError):
            self._reader.warm()
            retrieve(_ANY, SearchFilter(), 1, self._workspace.engines, self._workspace.index)

    def likeliest(self, question: str, among: Sequence[str] = ()) -> list[str]:
        """The ids of the videos to ask: all of these, by default the library; of many, those with the closest lines.

        Raises:
            LibraryError: if the library is empty.
            LongtakeError: if many videos are searched for a question that can't be used.
        """
        workspace = self._workspace
        videos = list(among) or [video.id for video in workspace.library.videos()]
        if not videos:
            root = workspace.library.root
            raise LibraryError(f"The library {root} is empty: index a video first, or `longtake ask FILE QUESTION`.")
        if len(videos) <= MAX_VIDEOS:
            return videos
        _check_question(question, ())
        hits = retrieve(question, SearchFilter(tuple(among)), _SEARCHED, workspace.engines, workspace.index)
        return list(dict.fromkeys(hit.moment.video for hit in hits))[:MAX_VIDEOS] or videos[:MAX_VIDEOS]

    def ask(
        self,
        videos: Sequence[str],
        question: str,
        *,
        options: Sequence[str] = (),
        thread: str | None = None,
        again: int | None = None,
        earlier: Sequence[Turn] = (),
        watcher: Watcher | None = None,
        budget: Budget | None = None,
        watch: Watch = lambda event: None,
        on_text: Callable[[str], None] | None = None,
        change: Callable[[RunContext], RunContext] = lambda context: context,
    ) -> Answer:
        """Answer one question about one or more videos.

        Args:
            videos: paths, library ids or names; a path that isn't indexed yet is indexed first, within the budget.
            question: at most 4,000 characters. Options that it lists itself are found, if none are given.
            options: of a multiple-choice question, at most ten.
            thread: name of a stored conversation, at most 200 characters; a question knows the earlier ones of its
                thread.
            again: number of the thread's question that this one is asked in place of. Unless it fails, its answer
                replaces that one's and all later ones.
            earlier: questions and answers to put into the conversation before this one.
            watcher: follows the indexing.
            budget: time limit and stop flag; the profile's limit by default.
            watch: called with each event of the trace as it is written.
            on_text: called with each new piece of what a language model writes, before it is judged; after an empty
                piece, a new text replaces what was written before.
            change: replaces parts of the run's context, to fork another run.

        Raises:
            LongtakeError: if the question, the thread's name or a video can't be used; nothing is indexed then.
            ThreadBusy: if another question of the thread is running; nothing is indexed then either.
        """
        started = time.time()
        _check_question(question, options)
        _check_thread(thread)
        if not options:
            question, options = split_options(question)
        budget = budget or Budget(self._workspace.settings.budget.seconds)
        with wrap_disk_errors(self._workspace.library.root), self._alone_in(thread):
            resolved = [_resolve(self._workspace, reference) for reference in videos]
            opened = [_open(self._workspace, video, budget, watcher) for video in resolved]
            handles = {video.record.id: VideoHandle(video.record, self._workspace.library) for video in opened}
            known = Known(
                videos=tuple(known_video(handle) for handle in handles.values()),
                problems={name: problem for video in opened for name, problem in video.problems.items()},
                damaged=tuple(sentence for video in opened for sentence in video.damaged),
                incomplete=tuple(video.record.name for video in opened if not video.complete),
            )
            workspace = self._workspace
            kept = workspace.library.trace_root if workspace.library.writable else None
            trace = Trace(kept, watch, keys_of(workspace.settings))
            frames = Frames(handles)
            tools = ToolContext(
                handles,
                workspace.engines,
                workspace.index,
                workspace.settings,
                budget,
                notes=self._notes,
                thread=thread or trace.run,
                question=trace.masked(question.strip()),
            )
            context = RunContext(
                Toolbox(offered_tools(workspace.settings)),
                tools,
                self._controllers.plans,
                trace,
                started,
                self._reader,
                LibraryMoments(workspace.index, {video.id: video.speakers for video in known.videos}),
                frames,
                stand_in=self._controllers.stands_in,
                judge=self._controllers.judges,
                known=known,
                on_text=on_text,
            )
            turns = [*self._recalled(thread, again), *earlier]
            asked = Question(trace.masked(question.strip()), tuple(handles), tuple(trace.masked(options)), turns)
            return self._run(asked, change(context), thread, again)

    def forget(self, thread: str) -> None:
        """Delete a thread. Its traces stay.

        Raises:
            ThreadBusy: while one of its questions is running.
        """
        with wrap_disk_errors(self._workspace.library.root), self._alone_in(thread):
            self._threads.delete_thread(thread)
            self._notes.forget(thread)
            self._conversations.forget(thread)
            Path(self._lock_of(thread).lock_file).unlink()

    def close(self) -> None:
        """Close what holds the threads. No question can be asked afterwards."""
        if "_threads" in self.__dict__:
            close_threads(self._threads)

    def _run(self, asked: Question, context: RunContext, thread: str | None, again: int | None) -> Answer:
        """Run the graph; keep the answer, and what the thread's next question needs."""
        failed = True
        try:
            graph = self._graph if thread is None else self._threaded
            answer = run_graph(graph, asked, context, thread or context.trace.run)
            failed = answer.status == "failed"
        finally:
            if thread is None:
                with suppress(LibraryError):  # its notes; a damaged file has kept none
                    self._notes.forget(context.trace.run)
            elif again is not None and failed:
                self._threads.delete_thread(thread)  # its answers stay, and the next question recalls them
            else:
                keep_last(self._threads, thread)
        if thread is not None and not (again is not None and failed):
            self._conversations.add(thread, asked.videos, answer, again)
        return answer

    def _recalled(self, thread: str | None, again: int | None) -> list[Turn]:
        """The earlier questions of a thread, if no checkpoint holds them; only those before the one asked again."""
        if thread is None:
            return []
        if again is not None:
            self._threads.delete_thread(thread)
        elif self._threads.get_tuple({"configurable": {"thread_id": thread}}):
            return []
        answers = [each.answer for each in self._conversations.exchanges(thread)[:again][-REMEMBERED:]]
        return [
            Turn(question=each.question, answer=each.answer, proof=next(iter(each.places), None))
            for each in answers
            if each.status != "failed"
        ]

    @contextmanager
    def _alone_in(self, thread: str | None) -> Iterator[None]:
        """Lock a thread against this process and others: two questions at once would not see each other.

        Raises:
            ThreadBusy: if another question of the thread is running.
            LibraryError: if the threads can't be used, at the start or in the middle.
        """
        if thread is None:
            yield
            return
        try:
            lock = self._lock_of(thread).acquire(timeout=0)
        except Timeout as error:
            raise ThreadBusy(
                f"The thread {thread!r} is being answered elsewhere: come back to it when that is over."
            ) from error
        with lock, usable_threads(self._workspace.library):
            yield

    def _lock_of(self, thread: str) -> FileLock:
        digest = hashlib.blake2b(thread.encode(), digest_size=16).hexdigest()
        return self._workspace.library.lock(f"thread-{digest}")


def _check_question(question: str, options: Sequence[str]) -> None:
    if not question.strip():
        raise LongtakeError("The question is empty. Write what you want to know.")
    if len(question) > MAX_QUESTION_LENGTH:
        raise LongtakeError(f"The question has {len(question):,} characters; at most {MAX_QUESTION_LENGTH:,} are read.")
    if not all(map(is_text, (question, *options))):
        raise LongtakeError("The question or an option isn't valid text. Write it in UTF-8.")
    if len(options) > MAX_OPTIONS or len(options) == 1:
        raise LongtakeError(f"A multiple-choice question takes 2 to {MAX_OPTIONS} options, got {len(options)}.")


def _check_thread(thread: str | None) -> None:
    if thread is not None and not (0 < len(thread) <= MAX_THREAD_LENGTH and is_text(thread)):
        raise LongtakeError(
            f"The name of the thread must have 1 to {MAX_THREAD_LENGTH} UTF-8 characters. Choose another."
        )


def is_text(words: str) -> bool:
    """Whether every character can be encoded. Bytes in another encoding on a command line can't be, and neither can a
    lone surrogate, which JSON allows.
    """
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Opened(NamedTuple):
    """A video's record with the layers that can be read, whether all of it is indexed, and what is said of the others.

    `problems` says by name why a layer couldn't be built; `damaged` has a sentence for each that can't be read.
    """

    record: VideoRecord
    complete: bool = True
    problems: Mapping[str, str] = MappingProxyType({})
    damaged: tuple[str, ...] = ()


def _resolve(workspace: Workspace, reference: str) -> Path | VideoRecord:
    """What a reference points to: a file, else a video of the library, or that video's file if indexing isn't complete.

    Raises:
        LongtakeError: if it is neither, or isn't a media file.
    """
    path = media_path(reference)
    if path.is_file() or (path.is_dir() and not workspace.library.find(reference)):
        probe(path)
        known = None if workspace.library.writable else workspace.library.find(reference)
        return known if known and known.complete else path
    video = workspace.library.resolve(reference)
    if video.complete:
        return video
    with suppress(MediaError):  # the storage is out of reach, but what is indexed isn't
        file = media_path(video.path)
        if file.is_file() and workspace.library.find(str(file)) == video:
            return file
    return video


def _open(workspace: Workspace, video: Path | VideoRecord, budget: Budget, watcher: Watcher | None) -> _Opened:
    """A video of the library as it is. A file is indexed or completed first, unless another process is doing that."""
    if isinstance(video, VideoRecord):
        workspace.restore([video])
        layers, problems = workspace.library.sound_layers(video)
        usable = {name: layer.key for name, layer in layers.items()}
        return _Opened(video.model_copy(update={"layers": usable}), video.complete, damaged=tuple(problems.values()))
    indexing = budget.share(INDEXING * budget.left)
    watcher = watcher or Watcher()

    def check() -> None:
        watcher.check_cancelled()
        indexing.check()

    report = workspace.add(video, replace(watcher, check_cancelled=check, wait=False, hurried=True, reports=[]))
    reasons = {layer.name: layer.problem or layer.unavailable for layer in report.layers}
    problems = {name: reason for name, reason in reasons.items() if reason}
    return _Opened(report.video, report.complete, problems)
