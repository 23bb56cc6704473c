"""Runs: questions on their way to an answer, each in a thread of a bounded pool, followed and stopped from outside.

A run belongs to nobody's connection: it goes on when the browser that asked goes away, and its answer stands in the
thread.
"""

from __future__ import annotations

import logging
import math
import secrets
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from longtake.agent.graph.agent import Agent
from longtake.agent.graph.state import Turn
from longtake.errors import Cancelled, LibraryError, LongtakeError, ThreadBusy
from longtake.memory.conversations import Conversations
from longtake.memory.records import Answer, Record
from longtake.preprocess.pipeline.progress import Watcher
from longtake.tools.core.tool_context import Budget
from longtake.web.event_feed import Feed, event_stream
from longtake.web.http.described import EVENTS
from longtake.web.http.refusals import Refusal

MAX_RUNNING = 4  # questions that are worked at; others wait for their turn
MAX_UNDER_WAY = 64  # worked at or waiting
MAX_ENDED = 256  # whose events can still be read
_TOO_MANY = f"{MAX_UNDER_WAY} questions are waiting already: ask again in a while."
_NEVER_BEGUN = "The question was stopped before its turn came."

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Asked:
    """What a run is to answer: see `Agent.ask`."""

    videos: tuple[str, ...]
    question: str
    options: tuple[str, ...] = ()
    thread: str | None = None
    earlier: tuple[Turn, ...] = ()


class Run:
    """One question: its id, which nobody can guess, and the feed of what is done for it.

    Events: `indexing` where a video of it is still on its way into the library, `step` for each event of the trace, and
    at last `answer` {number, answer} or `failed` {message}.
    """

    def __init__(self, asked: Asked) -> None:
        self.id = secrets.token_hex(16)
        self.asked = asked
        self.feed = Feed()
        self.budget = Budget(math.inf)  # its own seconds begin when its turn comes
        self.future: Future[dict[str, Any]] | None = None

    def stop(self) -> None:
        """End the work: at once while it waits, else at the next step, frame or chunk, with what was found so far."""
        self.budget.stop()
        if self.future:
            self.future.cancel()


class Runs:
    """The runs of one server."""

    def __init__(self, agent: Agent, conversations: Conversations, seconds: float) -> None:
        """Begin with none.

        Args:
            agent: answers them all.
            conversations: where the answers of threads stand.
            seconds: for one question, counted from its turn.
        """
        self._agent = agent
        self._conversations = conversations
        self._seconds = seconds
        self._pool = ThreadPoolExecutor(MAX_RUNNING, thread_name_prefix="run")
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()

    def start(self, asked: Asked) -> Run:
        """Take a question, which is worked at when its turn comes.

        Raises:
            Refusal: 409 while its thread is being asked another, 429 when too many wait.
        """
        with self._lock:
            under_way = self._under_way()
            if asked.thread is not None and any(run.asked.thread == asked.thread for run in under_way):
                raise Refusal(409, "This thread is still being answered: wait for the answer, or stop it.")
            if len(under_way) >= MAX_UNDER_WAY:
                raise Refusal(429, _TOO_MANY, headers={"Retry-After": "30"})
            self._forget_oldest()
            run = Run(asked)
            self._runs[run.id] = run
            run.future = self._pool.submit(self._answer, run)
        run.future.add_done_callback(lambda future: self._conclude(run, future))
        return run

    def get(self, run_id: str) -> Run:
        """A run under way, or one that ended not long ago.

        Raises:
            Refusal: 404 when there is none of this id.
        """
        run = self._runs.get(run_id)
        if run is None:
            raise Refusal(404, "There is no such run, or it ended long ago: its answer stands in its thread.")
        return run

    def under_way(self) -> list[Run]:
        """The runs that have not ended, oldest first."""
        with self._lock:
            return self._under_way()

    def of_thread(self, thread: str) -> Run | None:
        """The run under way that answers a thread."""
        return next((run for run in self.under_way() if run.asked.thread == thread), None)

    def asked_about(self, video: str) -> bool:
        """Whether a run under way is about the video of this id."""
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
        """The data of the event `answer`."""
        asked = run.asked
        answer = self._agent.ask(
            asked.videos,
            asked.question,
            options=asked.options,
            thread=asked.thread,
            earlier=asked.earlier,
            watcher=Watcher(check_cancelled=_leave_it),
            budget=run.budget.share(self._seconds),
            watch=lambda event: run.feed.notify("step", step_of(event)),
        )
        number = self._number(asked.thread, answer) if asked.thread is not None else None
        return {"number": number, "answer": answer.model_dump(mode="json")}

    def _conclude(self, run: Run, future: Future[dict[str, Any]]) -> None:
        """Tell the last event of a run; one without an answer stands in its thread, unless another has that."""
        problem = _problem(run, future)
        if problem is None:
            run.feed.notify("answer", future.result(), last=True)
            return
        try:
            busy = not future.cancelled() and isinstance(future.exception(), ThreadBusy)
            if run.asked.thread is not None and not busy:
                failed = Answer(question=run.asked.question, status="failed", answer="", error=problem)
                self._conversations.add(run.asked.thread, run.asked.videos, failed)
        except LibraryError as error:
            log.warning("run %s cannot be kept: %s", run.id, error)
        finally:
            run.feed.notify("failed", {"message": problem}, last=True)

    def _number(self, thread: str, answer: Answer) -> int:
        """Where the answer stands in its thread, to which the terminal may have added others."""
        exchanges = self._conversations.exchanges(thread)
        return next(each.number for each in reversed(exchanges) if each.answer.trace == answer.trace)


class StartedRun(Record):
    """The id of a run."""

    run: str


_EVENTS = {**EVENTS, 204: {"description": "All events were read: stay away."}}
router = APIRouter(prefix="/api/runs", tags=["runs"])


@router.get("/{run_id}/events", response_class=Response, responses=_EVENTS)
def follow_run(run_id: str, request: Request, last_event_id: Annotated[str | None, Header()] = None) -> Response:
    """What is done for a question, as server-sent events; `Last-Event-ID` goes on after a broken connection."""
    return event_stream(_runs(request).get(run_id).feed, last_event_id)


@router.post("/{run_id}/stop", status_code=202)
def stop_run(run_id: str, request: Request) -> StartedRun:
    """Stop a question; what was found by then becomes its answer, which the events tell within a second."""
    _runs(request).get(run_id).stop()
    return StartedRun(run=run_id)


def _runs(request: Request) -> Runs:
    runs: Runs = request.app.state.service.runs
    return runs


def step_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event of a trace as a page shows it: without the blobs, and with the number of pieces of evidence."""
    data = event["data"]
    told = {name: data[name] for name in ("tool", "arguments", "calls", "cached", "failure") if data.get(name)}
    kept = {name: event[name] for name in ("step", "type", "parent", "spans", "seconds", "started")}
    return {**kept, **told, "evidence": len(event["evidence"])}


def _leave_it() -> None:
    """Indexing has its own queue: a question is answered from what is there."""
    raise Cancelled("A question asked here does not wait for indexing.")


def _problem(run: Run, future: Future[dict[str, Any]]) -> str | None:
    """Why a run has no answer, if it has none."""
    if future.cancelled():
        return _NEVER_BEGUN
    error = future.exception()
    if error is None:
        return None
    if isinstance(error, LongtakeError):
        return str(error)
    log.error("run %s broke off", run.id, exc_info=error)
    return f"The question met a fault of Longtake ({type(error).__name__}): see the log of `longtake serve`."
