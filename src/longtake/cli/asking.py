"""Asks a question in the terminal: shows what happens meanwhile, and a first answer while a new file is indexed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from longtake.agent.drafts.draft import ANSWER
from longtake.api import Library
from longtake.cli.progress import Display, can_write, display, watcher_on
from longtake.console import raise_if_interrupted
from longtake.errors import Cancelled, LongtakeError
from longtake.memory.records import Answer
from longtake.preprocess.media.sources import source
from longtake.preprocess.pipeline.progress import Watcher
from longtake.tools.core.tool_context import Budget

PATIENCE = 2.0  # seconds; what is indexed sooner needs no first answer
READ = ("subtitles", "speech", "scene_text")  # one of them makes a first answer worthwhile
Show = Callable[[Answer], None]


def answer_in_terminal(
    library: Library,
    videos: Sequence[str],
    question: str,
    show: Show | None,
    *,
    options: Sequence[str] = (),
    thread: str | None = None,
    limited: bool = False,
) -> Answer:
    """Answer a question. A video that isn't indexed completely is indexed first, unless another process does that.

    Args:
        library: with the agent and its budget.
        videos: files, ids or names.
        question: as asked.
        show: prints a first answer, from what is indexed so far; without it, nothing is shown, nor any progress.
        options: of a multiple-choice question.
        thread: name of a conversation to continue.
        limited: whether the budget includes indexing, which then gives no first answer.
    """
    if thread is not None:
        library.workspace.library.check_writable()
    library.agent.check(videos)
    with display(quiet=show is None) as shown:
        if not limited:
            first = _First(library, videos, question, options, show)
            for video in videos:
                if _unread(library, video):
                    first.index(video, shown)
        shown.show("answering")
        writing = _Writing(shown)
        return library.agent.ask(
            videos,
            question,
            options=options,
            thread=thread,
            watcher=watcher_on(shown),
            watch=writing.watch,
            on_text=writing.add if show and can_write() else None,
        )


class _First:
    """Indexes files, and meanwhile asks in another thread about what has been read so far, once."""

    def __init__(
        self, library: Library, videos: Sequence[str], question: str, options: Sequence[str], show: Show | None
    ) -> None:
        self._library, self._videos, self._question, self._options = library, videos, question, options
        self._show = show
        self._asked = show is None

    def index(self, video: str, shown: Display) -> None:
        """Index one file."""
        watcher = watcher_on(shown, f"{Path(video).name}: ")
        started = time.monotonic()
        budget = Budget(self._library.workspace.settings.budget.seconds)
        with ThreadPoolExecutor(1, thread_name_prefix="first") as pool:

            def check() -> None:
                raise_if_interrupted()
                read = any(each.name in READ and each.items for each in watcher.reports)
                if read and not self._asked and time.monotonic() - started > PATIENCE:
                    self._asked = True
                    pool.submit(self._ask, budget, shown)

            watcher.check_cancelled, watcher.wait = check, False
            try:
                self._library.index(video, watcher)
            finally:
                budget.stop()

    def _ask(self, budget: Budget, shown: Display) -> None:
        known = [video for video in self._videos if self._library.workspace.library.find(video)]
        with suppress(LongtakeError):  # the answer after indexing says what is wrong
            answer = self._library.agent.ask(
                known,
                self._question,
                options=self._options,
                budget=budget,
                watcher=Watcher(check_cancelled=_refuse),
            )
            if answer.places and self._show:
                shown.say("From what is read so far:")
                self._show(answer)
                shown.say("Indexing goes on; the final answer follows.")


def _refuse() -> None:
    raise Cancelled("The first answer doesn't wait for indexing.")


def _unread(library: Library, video: str) -> bool:
    """Whether a file isn't indexed, or not to its end."""
    record = library.workspace.library.find(video)
    return record is None or (not record.complete and source(record) is not None)


class _Writing:
    """Shows the tool that was called last, and the answer as it is written."""

    def __init__(self, shown: Display) -> None:
        self._shown = shown
        self._text = ""

    def add(self, piece: str) -> None:
        """Add a piece; an empty one begins a text that replaces the one before."""
        self._text = self._text + piece if piece else ""
        self._shown.write(self._text)

    def watch(self, event: Mapping[str, Any]) -> None:
        """Tell of an event. What a model says before it calls tools is no answer."""
        tool, called = event["data"].get("tool"), event["data"].get("calls", ())
        if tool:
            self._shown.show("answering", None, str(tool))
        elif event["type"] == "model" and self._text:
            if any(call["tool"] != ANSWER for call in called):
                self.add("")
            else:
                self._shown.show("answering", None, "checking")
