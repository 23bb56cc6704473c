"""`longtake ask`."""

from __future__ import annotations

from typing import Annotated

import typer

from longtake.api import Library
from longtake.cli.progress import progress_watcher
from longtake.cli.options import Model, with_model
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session, note, say, say_json
from longtake.errors import LongtakeError
from longtake.memory.records import Answer
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace

EXITS = {"answered": 0, "uncertain": 0, "abstained": 0, "partial": EXIT_PARTIAL, "failed": EXIT_FAILED}


def ask(
    context: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="VIDEO... QUESTION", help="Files, ids or names, then the question.")
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
    """Ask a question about one or more videos; a file that isn't in the library is indexed first."""
    if len(words) < 2:
        raise typer.BadParameter(
            "give at least one video, then the question, such as: longtake ask talk.mp4 'What is the price?'"
        )
    session: Session = with_model(context.obj, model)
    library = open_library(session, max_seconds=max_seconds, max_rounds=max_rounds)
    if only_estimate:
        _say_estimate(library.workspace, words[:-1], as_json=as_json)
        return
    try:
        with library, progress_watcher(quiet=as_json) as watcher:
            answer = library.ask(words[:-1], words[-1], options=options or (), thread=thread, watcher=watcher)
    except LongtakeError as error:
        if not as_json or session.debug:
            raise
        answer = Answer(question=words[-1], status="failed", answer="", error=str(error))
    say_json(answer.model_dump(mode="json")) if as_json else show(answer, library.workspace)
    raise typer.Exit(EXITS[answer.status])


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
    say(answer.answer)
    if answer.option:
        say(f"Option {answer.option.letter}: {answer.option.text}")
    several = len({citation.video for citation in answer.places}) > 1
    for citation in answer.places:
        record = workspace.library.get(citation.video) if several else None
        where = f"{record.name} " if record else ""
        when = TimeSpan(start=citation.start, end=citation.end)
        say(f"  {where}{when}  {citation.modality:<10}  {_short(citation.quote)}")
    for claim in answer.claims if answer.status not in ("abstained", "uncertain") else ():
        if claim.verdict != "supported" and not claim.doubtful:
            say(f"  struck, {claim.verdict}: {_short(claim.text)}")
    usage = answer.usage
    spent = [f"{usage.rounds} rounds", f"{usage.tool_calls} tool calls"]
    if usage.input_tokens:
        spent += [f"{usage.input_tokens + usage.output_tokens} tokens", f"{usage.cost:g} cost"]
    say(f"  {answer.status} in {usage.seconds:.1f} s, {', '.join(spent)}, trace {answer.trace}")


def _short(text: str, most: int = 100) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
