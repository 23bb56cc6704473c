"""Runs: questions being answered, each in a thread of a bounded pool, that clients can follow and stop.

A run isn't tied to a connection: it continues when the browser goes away, and its answer is saved in the conversation.
"""

from __future__ import annotations

import logging
import math
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from longtake.agent.graph.agent import Agent
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import Turn
from longtake.errors import Cancelled, LibraryError, LongtakeError, ThreadBusy
from longtake.memory.conversations import Conversations
from longtake.memory.records import Answer, Record
from longtake.preprocess.pipeline.progress import Watcher
from longtake.tools.core.tool_context import Budget
from longtake.web.event_feed import Feed, event_stream
from longtake.web.http.described import EVENTS
from longtake.web.http.refusals import Refusal, status_of

MAX_RUNNING = 4  # questions being answered at once; others wait their turn
# Being answered or waiting. Those who wait hold no thread and are answered in turn; whoever is refused has to try
# again, and may lose to newcomers each time.
MAX_UNDER_WAY = 1_000
PIECES = 0.1  # seconds between two events of text, so that a feed, which keeps all of them, stays short
MAX_ENDED = 256  # ended runs whose events can still be read
_TOO_MANY = f"{MAX_UNDER_WAY:,} questions are being answered or waiting. Try again in a while."
_NEVER_BEGUN = "The question was stopped before it started."

log = logging.getLogger(__name__)


def unchanged(context: RunContext) -> RunContext:
    """The run as the agent sets it up."""
    return context


@dataclass(frozen=True)
class QuestionForm:
    """What a run answers: see `Agent.ask`."""

    videos: tuple[str, ...]
    question: str
    options: tuple[str, ...] = ()
    thread: str | None = None
    again: int | None = None
    earlier: tuple[Turn, ...] = ()
    change: Callable[[RunContext], RunContext] = unchanged


class Run:
    """One question: its unguessable id, and the feed of its events.

    Events: `indexing` if one of its videos is still being indexed, `step` for each event of the trace, `text` {draft,
    text} for what a language model writes, as it writes it (a draft with another number replaces the one before), and
    finally `answer` {number, answer} or `failed` {message}.
    """

    def __init__(self, asked: QuestionForm) -> None:
        self.id = secrets.token_hex(16)
        self.asked = asked
        self.feed = Feed()
        self.budget = Budget(math.inf)  # its own time limit starts when its turn comes
        self.future: Future[dict[str, Any]] | None = None

    def stop(self) -> None:
        """End the work: at once if it is waiting, else at the next step, frame or chunk, with the findings so far."""
        self.budget.stop()
        if self.future:
            self.future.cancel()


class Runs:
    """The runs of one server."""

    def __init__(self, agent: Agent, conversations: Conversations, seconds: float) -> None:
        """Start with none.

        Args:
            agent: answers the questions.
            conversations: where answers are saved.
            seconds: time limit of a question, from when its turn comes.
        """
        self._agent = agent
        self._conversations = conversations
        self._seconds = seconds
        self._pool = ThreadPoolExecutor(MAX_RUNNING, thread_name_prefix="run")
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()

    def start(self, asked: QuestionForm) -> Run:
        """Queue a question.

        Raises:
            Refusal: 409 while another question of its thread is being answered, 429 if too many are waiting.
        """
        with self._lock:
            under_way = self._under_way()
            if asked.thread is not None and any(run.asked.thread == asked.thread for run in under_way):
                raise Refusal(409, "The previous question is still being answered: wait for the answer, or stop it.")
            if len(under_way) >= MAX_UNDER_WAY:
                raise Refusal(429, _TOO_MANY, headers={"Retry-After": "30"})
            self._forget_oldest()
            run = Run(asked)
            self._runs[run.id] = run
            run.future = self._pool.submit(self._answer, run)
        run.future.add_done_callback(lambda future: self._conclude(run, future))
        return run

    def get(self, run_id: str) -> Run:
        """A run under way, or one that ended recently.

        Raises:
            Refusal: 404 if no run has this id.
        """
        run = self._runs.get(run_id)
        if run is None:
            raise Refusal(404, "There is no such run, or it ended long ago; its answer is in its conversation.")
        return run

    def under_way(self) -> list[Run]:
        """The runs that haven't ended, oldest first."""
        with self._lock:
            return self._under_way()

    def of_thread(self, thread: str) -> Run | None:
        """The run under way for a thread."""
        return next((run for run in self.under_way() if run.asked.thread == thread), None)

    def asked_about(self, video: str) -> bool:
        """Whether a run under way is about this video (id)."""
        return any(video in run.asked.videos for run in self.under_way())

    def close(self) -> None:
        """Stop every run and wait until they have ended."""
        for run in self.under_way():
            run.stop()
        self._pool.shutdown()

    def _under_way(self) -> list[Run]:
        return [run for run in self._runs.values() if not run.feed.ended]

    def _forget_oldest(self) -> None:
        ended = [run.id for run in self._runs.values() if run.feed.ended]
        for run_id in ended[: max(0, len(ended) - MAX_ENDED + 1)]:
            del self._runs[run_id]

    def _answer(self, run: Run) -> dict[str, Any]:
        """Answer a question; returns the data of the event `answer`."""
        asked, written = run.asked, StepWriter(run.feed)
        answer = self._agent.ask(
            asked.videos,
            asked.question,
            options=asked.options,
            thread=asked.thread,
            again=asked.again,
            earlier=asked.earlier,
            change=asked.change,
            watcher=Watcher(check_cancelled=_refuse_indexing),
            budget=run.budget.share(self._seconds),
            watch=written.step,
            on_text=written.add,
        )
        number = None
        if asked.thread is not None and answer.trace is not None:
            # Others may have been added to its thread meanwhile.
            number = self._conversations.number_of(asked.thread, answer.trace)
        return {"number": number, "answer": answer.model_dump(mode="json")}

    def _conclude(self, run: Run, future: Future[dict[str, Any]]) -> None:
        """Add a run's last event; a failure is saved in its thread, unless another run is using the thread, or there
        is an earlier answer to keep.
        """
        problem, status = _problem(run, future), _status(future)
        if problem is None:
            run.feed.notify("answer", future.result(), last=True)
            return
        try:
            busy = not future.cancelled() and isinstance(future.exception(), ThreadBusy)
            if run.asked.thread is not None and run.asked.again is None and not busy:
                asked = run.asked
                failed = Answer(
                    question=asked.question, status="failed", answer="", options=asked.options, error=problem
                )
                self._conversations.add(run.asked.thread, asked.videos, failed)
        except LibraryError as error:
            log.warning("run %s can't be saved: %s", run.id, error)
        finally:
            run.feed.notify("failed", {"message": problem, "status": status}, last=True)


class StepWriter:
    """Adds steps and pieces of text to a feed in their order; pieces that come in quick succession are one event."""

    def __init__(self, feed: Feed) -> None:
        """Nothing is written yet."""
        self._feed = feed
        self._draft, self._text, self._since = 0, "", 0.0
        self._lock = threading.Lock()

    def add(self, piece: str) -> None:
        """Add a piece; an empty one begins a draft that replaces the one before."""
        with self._lock:
            if not piece:
                self._tell()
                self._draft += 1
            self._text += piece
            if time.monotonic() - self._since > PIECES:
                self._tell()

    def step(self, event: Mapping[str, Any]) -> None:
        """Add an event of the trace."""
        with self._lock:
            self._tell()
        self._feed.notify("step", step_of(event))

    def _tell(self) -> None:
        if self._text:
            self._feed.notify("text", {"draft": self._draft, "text": self._text})
            self._text, self._since = "", time.monotonic()


class StartedRun(Record):
    """The id of a run."""

    run: str


_EVENTS = {**EVENTS, 204: {"description": "All events have been sent; don't reconnect."}}
router = APIRouter(prefix="/api/runs", tags=["runs"])


@router.get("/{run_id}/events", response_class=Response, responses=_EVENTS)
def follow_run(run_id: str, request: Request, last_event_id: Annotated[str | None, Header()] = None) -> Response:
    """The steps of a run as server-sent events; `Last-Event-ID` resumes after a broken connection."""
    return event_stream(_runs(request).get(run_id).feed, last_event_id)


@router.post("/{run_id}/stop", status_code=202)
def stop_run(run_id: str, request: Request) -> StartedRun:
    """Stop a question. The findings so far become its answer, which comes as an event within a second."""
    _runs(request).get(run_id).stop()
    return StartedRun(run=run_id)


def _runs(request: Request) -> Runs:
    runs: Runs = request.app.state.service.runs
    return runs


def step_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """A trace event for the page: without blobs, and with the number of findings."""
    data = event["data"]
    facts = {name: data[name] for name in ("tool", "arguments", "calls", "cached", "failure") if data.get(name)}
    common = {name: event[name] for name in ("step", "type", "parent", "spans", "seconds", "started")}
    return {**common, **facts, "evidence": len(event["evidence"])}


def _refuse_indexing() -> None:
    """Indexing has its own queue: a question is answered from what is indexed so far."""
    raise Cancelled("A question asked here doesn't wait for indexing.")


def _problem(run: Run, future: Future[dict[str, Any]]) -> str | None:
    """Why a run has no answer; None if it has one."""
    if future.cancelled():
        return _NEVER_BEGUN
    error = future.exception()
    if error is None:
        return None
    if isinstance(error, LongtakeError):
        return str(error)
    log.error("run %s failed", run.id, exc_info=error)
    return f"Answering failed with an internal error ({type(error).__name__}): see the log of `longtake serve`."


def _status(future: Future[dict[str, Any]]) -> int:
    """The HTTP status of a run that has no answer."""
    error = None if future.cancelled() else future.exception()
    return 500 if error is None else status_of(error, 500)
