"""`longtake ask`: shows what happens meanwhile, and a first answer while a new file is indexed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.agent.drafts.draft import ANSWER
from longtake.api import Library
from longtake.cli.options import Model, with_model
from longtake.cli.progress import Display, can_write, display, watcher_on
from longtake.console import (
    EXIT_FAILED,
    EXIT_PARTIAL,
    Session,
    counted,
    note,
    raise_if_interrupted,
    say,
    say_coloured,
    say_json,
)
from longtake.errors import Cancelled, LongtakeError
from longtake.language.text import shortened
from longtake.memory.records import WORDS_WIDTH, Answer, display_name
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.media.sources import source
from longtake.preprocess.pipeline.progress import Watcher
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.remote import media_path
from longtake.tools.core.tool_context import Budget

PATIENCE = 2.0  # seconds; what is indexed sooner needs no first answer
_LONGEST_QUOTE = 400  # characters of a line that is printed
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


EXITS = {"answered": 0, "uncertain": 0, "abstained": 0, "partial": EXIT_PARTIAL, "failed": EXIT_FAILED}
# Of the flags in the text, and of the lines that give their reasons.
COLOURS = {"[not shown]": "bold yellow", "[contradicted]": "bold red"}
REASONS = {"  not shown:": "yellow", "  contradicted:": "red", "(proven)": "green", "(not proven)": "yellow"}


def ask(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[VIDEO...] QUESTION",
            help="Files, ids or names (none: the library), then the question.",
        ),
    ],
    options: Annotated[
        list[str] | None, typer.Option("--options", help="An option of a multiple-choice question; repeatable.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(min=0.1, help="Time limit in seconds for indexing and answering.")
    ] = None,
    max_rounds: Annotated[int | None, typer.Option(min=1, help="Maximum number of rounds of tool calls.")] = None,
    thread: Annotated[str | None, typer.Option(help="Name of a conversation to continue.")] = None,
    model: Model = None,
    only_estimate: Annotated[bool, typer.Option("--estimate", help="Estimate the cost without asking.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask a question about one or more videos, or about all of the library; a new file is indexed first.

    While a file is indexed, an answer from what is read so far comes first. With `--max-seconds`, the only answer comes
    from what is indexed in time.
    """
    session: Session = with_model(context.obj, model)
    library = open_library(session, max_seconds=max_seconds, max_rounds=max_rounds)
    question = " ".join(words)
    try:
        with library:
            videos, question = asked_about(library, words)
            if only_estimate:
                return _say_estimate(library.workspace, videos, as_json=as_json)
            answer = answer_in_terminal(
                library,
                videos,
                question,
                None if as_json else partial(show, workspace=library.workspace),
                options=options or (),
                thread=thread,
                limited=max_seconds is not None,
            )
    except LongtakeError as error:
        if not as_json or session.debug:
            raise
        answer = refused(question, error, options or ())
    say_json(answer.model_dump(mode="json")) if as_json else show(answer, library.workspace)
    raise typer.Exit(exit_of(answer))


def asked_about(library: Library, words: Sequence[str]) -> tuple[list[str], str]:
    """The videos and the question of a command line.

    A word with spaces is a question in quotes, and everything before it is a video. Without one, the question begins
    with the first word that is neither a file nor a video. Without a video, the question is about all of the library.
    """
    quoted = any(map(str.isspace, "".join(words[-1:]))) and not _is_video(library, words[-1])
    count = len(words) - 1 if quoted else next((n for n, word in enumerate(words) if not _is_video(library, word)), -1)
    if count == -1:
        raise typer.BadParameter(f"add the question, such as: longtake ask {words[0]} 'What is the price?'")
    if count == 0 and not quoted and Path(words[0]).suffix:
        library.agent.check(words[:1])  # a file's name, so it is an error that there is no such file
    videos, question = list(words[:count]), " ".join(words[count:])
    return videos or library.likeliest(question), question


def refused(question: str, error: LongtakeError, options: Sequence[str] = ()) -> Answer:
    """What `--json` prints for a question that was refused, without the characters that JSON can't hold."""
    asked, reason, *offered = (text.encode(errors="replace").decode() for text in (question, str(error), *options))
    return Answer(question=asked, status="failed", answer="", options=tuple(offered), error=reason)


def exit_of(answer: Answer) -> int:
    """What a question exits with: that a language model failed is told as an answer in part."""
    return EXITS[answer.status] or (EXIT_PARTIAL if answer.controller_error else 0)


def _is_video(library: Library, word: str) -> bool:
    try:
        return media_path(word).exists() or library.workspace.library.find(word) is not None
    except OSError:  # too long for a path
        return False


def _say_estimate(workspace: Workspace, videos: list[str], *, as_json: bool) -> None:
    from longtake.preprocess.pipeline.estimate import estimate, show_estimate

    found = estimate(workspace, videos)
    say_json(found.model_dump(mode="json")) if as_json else say("\n".join(show_estimate(found)))


def open_library(session: Session, *, max_seconds: float | None = None, max_rounds: int | None = None) -> Library:
    """Open the library of a session, with the budget of one question."""
    limits = {name: value for name, value in (("seconds", max_seconds), ("rounds", max_rounds)) if value is not None}
    budget = session.settings.budget.model_copy(update=limits)
    return Library(session.library_root, session.settings.model_copy(update={"budget": budget}))


def show(answer: Answer, workspace: Workspace) -> None:
    """Print an answer as text, with its evidence or the closest lines, and its cost."""
    if answer.error:
        note(f"longtake: {answer.error}")
        return
    say_coloured(answer.answer, COLOURS)
    if answer.option:
        say_coloured(answer.option.told, REASONS)
    several = len({citation.video for citation in answer.places}) > 1
    for citation in answer.places:
        record = workspace.library.get(citation.video) if several else None
        where = f"{record.name} " if record else ""
        when = TimeSpan(start=citation.start, end=citation.end)
        quote = shortened(" ".join(citation.quote.split()), _LONGEST_QUOTE)
        say(f"  {where}{when}  {display_name(citation.modality):<{WORDS_WIDTH}}  {quote}")
    for claim in answer.flagged:
        against = "".join(f" [{clock(place.start)}]" for place in claim.against)
        say_coloured(f"  {claim.told}{against}", REASONS)
    usage = answer.usage
    spent = [counted(usage.rounds, "round"), counted(usage.tool_calls, "tool call")]
    if usage.input_tokens:
        spent.append(f"{usage.input_tokens + usage.output_tokens:,} tokens")
    if usage.cost:
        spent.append(f"cost {usage.cost:.4g}")
    if answer.trace:
        spent.append(f"trace {answer.trace}")
    say(f"  {answer.status} in {usage.seconds:.1f} s, {', '.join(spent)}")
    if answer.trace is None:
        note("No trace is kept, because the library can't be written.")
