"""`longtake bench loop`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.options import Json, notify, print_report
from longtake.console import EXIT_FAILED, Session

loop = typer.Typer(no_args_is_help=True, help="What becomes of a language model's answers: record a model, replay it.")
Videos = Annotated[Path, typer.Option(help="Folder that the paths of the videos begin in.")]
HERE = Path(".")


@loop.command()
def record(
    context: typer.Context,
    questions: Annotated[Path, typer.Argument(help="JSONL: id, video, question, options, parts, abstain.")],
    cassette: Annotated[Path, typer.Argument(help="File that the replies are written to.")],
    videos: Videos = HERE,
    hand: Annotated[Path | None, typer.Option("--by-hand", help="Folder in which a person answers requests.")] = None,
    url: Annotated[str | None, typer.Option(help="OpenAI-compatible endpoint of the controller.")] = None,
    vision_url: Annotated[str | None, typer.Option(help="Endpoint of the vision model; by default the same.")] = None,
    model: Annotated[str, typer.Option(help="Name of the model.")] = "recorded",
    key_env: Annotated[str, typer.Option(help="Environment variable with the key.")] = "OPENAI_API_KEY",
    as_json: Json = False,
) -> None:
    """Ask questions and keep what the model replies, to a cassette."""
    from longtake.benchmarks.loop.cassette import Question, Recorder, by_hand, forwarded, read_questions
    from longtake.benchmarks.loop.table import run_loop, show_loop
    from longtake.config import secret

    session: Session = context.obj
    if (hand is None) == (url is None):
        raise typer.BadParameter("name an endpoint with --url, or a folder with --by-hand")
    urls = {"controller": url or "", **({"vision": vision_url} if vision_url else {})}
    ask = by_hand(hand) if hand else forwarded(urls, secret(key_env))  # type: ignore[arg-type]
    asked, recorder = read_questions(questions), Recorder(ask)
    with cassette.open("w", encoding="utf-8") as file:

        def keep(question: Question) -> None:
            file.write(f"{question.model_dump_json()}\n")
            file.flush()

        table = run_loop(session.library_root, asked, recorder, videos, notify(as_json), model, keep)
    print_report(table, show_loop, as_json)


@loop.command()
def replay(
    context: typer.Context,
    cassette: Annotated[Path, typer.Argument(help="What `record` wrote.")],
    videos: Videos = HERE,
    as_json: Json = False,
) -> None:
    """Replay a cassette against the code of today. Exits with 1 if a right answer is lost in whole or part."""
    from longtake.benchmarks.loop.cassette import Player, read_questions
    from longtake.benchmarks.loop.table import run_loop, show_loop

    session: Session = context.obj
    table = run_loop(session.library_root, read_questions(cassette), Player(), videos, notify(as_json))
    print_report(table, show_loop, as_json)
    if any(row.outcome in ("part lost", "lost") for row in table.rows):
        raise typer.Exit(EXIT_FAILED)
