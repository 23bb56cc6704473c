"""One question, from videos to an answer: index what is missing, run the graph, keep the trace."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langsmith.run_helpers import tracing_context

from longtake.agent.context import RunContext
from longtake.agent.controllers.factory import make_controller
from longtake.agent.graph import build_graph, open_threads
from longtake.agent.nodes.answer import usage_of
from longtake.agent.state import Progress, Question, Turn
from longtake.agent.trace import Trace, Watch
from longtake.errors import LibraryError, LongtakeError
from longtake.memory.conversations import Conversations
from longtake.memory.library import VideoRecord
from longtake.memory.notes import Notes
from longtake.memory.records import Answer
from longtake.memory.timespan import SpanError
from longtake.preprocess.media import probe
from longtake.preprocess.progress import Watcher
from longtake.preprocess.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.context import Budget, ToolContext, VideoHandle
from longtake.tools.toolbox import Toolbox

LONGEST_QUESTION = 4_000
MOST_OPTIONS = 10
INDEXING = 0.8  # of the time may go into indexing; the rest is for the answer
# The last checkpoint of a thread holds all that the next question needs; SqliteSaver.prune is not implemented.
_SUPERSEDED = """
DELETE FROM {table} WHERE thread_id = :thread
AND checkpoint_id < (SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = :thread)
"""


class Asker:
    """Answers questions in one workspace; the graph and the controller are kept between them, no tool's result is."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._controller = make_controller(workspace.settings)
        self._threads = open_threads(workspace.library.memory_file)
        self._notes = Notes(workspace.library.memory_file)
        self._conversations = Conversations(workspace.library.memory_file)
        self._graph = build_graph(self._threads)

    def check(self, videos: Sequence[str]) -> None:
        """Raise `LongtakeError` when one of the videos is neither a media file nor in the library."""
        for reference in videos:
            _resolve(self._workspace, reference)

    def ask(
        self,
        videos: Sequence[str],
        question: str,
        *,
        options: Sequence[str] = (),
        thread: str | None = None,
        earlier: Sequence[Turn] = (),
        watcher: Watcher | None = None,
        budget: Budget | None = None,
        watch: Watch = lambda event: None,
    ) -> Answer:
        """Answer one question about one or more videos.

        Args:
            videos: paths, library ids or names; a path that is not indexed is indexed first, within the budget.
            question: at most 4,000 characters.
            options: of a multiple-choice question, at most ten.
            thread: name of a conversation, which is kept; questions of one thread know the earlier ones.
            earlier: questions and answers that are to stand in the conversation before this one.
            watcher: follows the indexing.
            budget: seconds and stop flag; the profile's seconds by default.
            watch: told each event of the trace when it is written.

        Raises:
            LongtakeError: when the question or a video is not usable; nothing is indexed then.
        """
        started = time.time()
        _check_question(question, options)
        budget = budget or Budget(self._workspace.settings.budget.seconds)
        resolved = [_resolve(self._workspace, reference) for reference in videos]
        opened = [_open(self._workspace, video, budget, watcher) for video in resolved]
        handles = {video.record.id: VideoHandle(video.record, self._workspace.library) for video in opened}
        trace = Trace(self._workspace.library.trace_root, watch)
        workspace = self._workspace
        tools = ToolContext(
            handles,
            workspace.engines,
            workspace.index,
            workspace.settings,
            budget,
            notes=self._notes,
            thread=thread or trace.run,
        )
        incomplete = tuple(video.record.name for video in opened if not video.complete)
        problems = {name: problem for video in opened for name, problem in video.problems.items()}
        context = RunContext(Toolbox(ALL_TOOLS), tools, self._controller, trace, started, problems, incomplete)
        asked = Question(question.strip(), tuple(handles), tuple(options), list(earlier))
        state: dict[str, Any] = {}
        try:
            answer = self._run(asked, context, thread or trace.run, state)
        except KeyboardInterrupt:
            trace.event("error", started=time.time(), parent=0, data={"error": "interrupted"})
            raise
        except (LongtakeError, SpanError) as error:
            trace.event("error", started=time.time(), parent=0, data={"error": str(error)})
            answer = _failed(asked, context, state, _sentence(error))
        finally:
            trace.close()
            if thread is None:
                self.forget(trace.run)
            else:
                self._keep_last_checkpoint(thread)
        if thread is not None:
            self._conversations.add(thread, tuple(handles), answer)
        return answer

    def forget(self, thread: str) -> None:
        """Delete all that is kept of a thread; its traces stay."""
        self._threads.delete_thread(thread)
        self._notes.forget(thread)
        self._conversations.forget(thread)

    def _run(self, asked: Question, context: RunContext, thread: str, state: dict[str, Any]) -> Answer:
        """Run the graph; what its nodes return is put into `state`, which holds it also when a later one fails."""
        context.trace.event(
            "run",
            started=context.started,
            given={"question": asked.question, "options": list(asked.options), "videos": list(asked.videos)},
            result=context.tools.settings.model_dump(mode="json"),
            data={"thread": thread},
        )
        # Our own guards end a run; LangGraph's limit, which would throw the work away, lies well above them.
        steps = 4 * context.tools.settings.budget.rounds + 10
        config: RunnableConfig = {"configurable": {"thread_id": thread}, "recursion_limit": steps}
        # LangChain would send its own traces to a server when the environment names one; ours stay here.
        with tracing_context(enabled=False):
            updates = self._graph.stream(asked, config, context=context, stream_mode="updates", durability="exit")
            # Closing writes the checkpoint, also on Ctrl-C between two steps.
            with closing(cast("Generator[dict[str, Any], None, None]", updates)):
                for update in updates:
                    for changed in update.values():
                        state.update(changed or {})
        answer = state.get("answer")
        if not isinstance(answer, Answer):
            raise LibraryError("The run ended without an answer.")
        return answer

    def _keep_last_checkpoint(self, thread: str) -> None:
        with self._threads.cursor() as cursor:
            for table in ("writes", "checkpoints"):
                cursor.execute(_SUPERSEDED.format(table=table), {"thread": thread})


def _failed(asked: Question, context: RunContext, state: Mapping[str, Any], error: str) -> Answer:
    """The answer of a run that broke off, with what it had spent and looked at by then."""
    orientation = state.get("orientation")
    return Answer(
        question=asked.question,
        status="failed",
        answer="",
        coverage=dict(orientation.coverage) if orientation else {},
        usage=usage_of(state.get("progress", Progress()), context),
        trace=context.trace.run,
        error=error,
    )


def _check_question(question: str, options: Sequence[str]) -> None:
    if not question.strip():
        raise LongtakeError("The question is empty; write what you want to know.")
    if len(question) > LONGEST_QUESTION:
        raise LongtakeError(f"The question has {len(question):,} characters; at most {LONGEST_QUESTION:,} are read.")
    if not _is_text(question):
        raise LongtakeError("The question holds bytes that are no text; write it in UTF-8.")
    if len(options) > MOST_OPTIONS or len(options) == 1:
        raise LongtakeError(f"A multiple-choice question takes 2 to {MOST_OPTIONS} options, got {len(options)}.")


def _is_text(question: str) -> bool:
    """Whether every character can be written down; bytes of another encoding on a command line cannot."""
    try:
        question.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Opened(NamedTuple):
    """A video's record, whether all of it is indexed, and why a layer could not be built, by its name."""

    record: VideoRecord
    complete: bool = True
    problems: Mapping[str, str] = MappingProxyType({})


def _resolve(workspace: Workspace, reference: str) -> Path | VideoRecord:
    """What a reference means: a file, else a video of the library, or its file when not all of it is indexed.

    Raises:
        LongtakeError: when it is neither, or no media file.
    """
    path = Path(reference).expanduser()
    if path.is_file() or (path.is_dir() and not workspace.library.find(reference)):
        probe(path)
        return path
    video = workspace.library.resolve(reference)
    file = Path(video.path)
    unchanged = file.is_file() and workspace.library.find(str(file)) == video
    return file if unchanged and not video.complete else video


def _open(workspace: Workspace, video: Path | VideoRecord, budget: Budget, watcher: Watcher | None) -> _Opened:
    """A video of the library as it is; a file is indexed, or completed, first, unless another process is at it."""
    if isinstance(video, VideoRecord):
        workspace.restore([video])
        return _Opened(video, video.complete)
    indexing = budget.share(INDEXING * budget.left)
    watcher = watcher or Watcher()

    def check() -> None:
        watcher.check_cancelled()
        indexing.check()

    report = workspace.add(video, replace(watcher, check_cancelled=check, wait=False, reports=[]))
    reasons = {layer.name: layer.problem or layer.unavailable for layer in report.layers}
    problems = {name: reason for name, reason in reasons.items() if reason}
    return _Opened(report.video, report.complete, problems)


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"The question cannot be answered: {text}." if isinstance(error, SpanError) else text
