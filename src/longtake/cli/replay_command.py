"""`longtake trace replay`, `fork` and `export`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.agent.traces.lenient_run import find_run
from longtake.agent.traces.trace import RecordedTrace
from longtake.cli.ask import EXITS, open_library
from longtake.cli.ask import show as show_answer
from longtake.cli.options import Json, library_of
from longtake.console import EXIT_FAILED, Session, note, say, say_json
from longtake.errors import ConfigError
from longtake.language.text import parse_json
from longtake.offline import refused_endpoint
from longtake.preprocess.pipeline.workspace import Workspace

Reference = Annotated[str, typer.Argument(help="Run id, id prefix, or `last`.", metavar="RUN")]


def register(app: typer.Typer) -> None:
    """Add the commands that replay, fork and export a recorded run."""
    for command in (replay, fork, export):
        app.command()(command)


def replay(context: typer.Context, run: Reference, as_json: Json = False) -> None:
    """Replay a run from its recorded replies and results, and check that it ends in the same answer."""
    from longtake.agent.traces.replay import replay as run_again

    replayed = run_again(_trace(context, run))
    difference = replayed.difference._asdict() if replayed.difference else None
    if as_json:
        say_json({"run": replayed.run, "steps": replayed.steps, "same": replayed.same, "difference": difference})
    elif replayed.same:
        say(f"{replayed.run} ends as recorded, in {replayed.steps} steps.")
    if replayed.difference and not as_json:
        ending = "" if replayed.same else " and ends in another answer"
        note(f"longtake: The replay differs from the recording{ending}: {replayed.difference.sentence}.")
    raise typer.Exit(0 if replayed.same else EXIT_FAILED)


def fork(
    context: typer.Context,
    run: Reference,
    at: Annotated[int, typer.Option(metavar="STEP", help="The step of a tool call.", min=0)],
    set_: Annotated[
        list[str],
        typer.Option("--set", metavar="KEY=VALUE", help="New value of an argument, as JSON or text; repeatable."),
    ],
    as_json: Json = False,
) -> None:
    """Rerun a question with other arguments for one call: as recorded up to there, live from there."""
    from longtake.agent.traces.fork import fork as fork_run

    changes = _changes(set_)
    trace, workspace = _trace(context, run), open_library(context.obj).workspace
    _note_other_controller(trace, workspace)
    answer = fork_run(trace, at, changes, workspace)
    say_json(answer.model_dump(mode="json")) if as_json else show_answer(answer, workspace)
    raise typer.Exit(EXITS[answer.status])


def export(
    context: typer.Context,
    run: Reference,
    otlp: Annotated[
        str | None, typer.Option(metavar="URL", help="An OTLP receiver, such as http://127.0.0.1:4318.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="A file of OTLP JSON lines to append to.", dir_okay=False)] = None,
) -> None:
    """Export a run as OpenTelemetry spans: to a receiver, to a file, or to standard output."""
    from longtake.agent.traces.otlp import json_line, send
    from longtake.agent.traces.spans import spans_of

    session: Session = context.obj
    trace = _trace(context, run)
    spans = spans_of(trace)
    if otlp:
        refused = refused_endpoint(otlp, "--otlp", "OTEL_EXPORTER_OTLP_HEADERS", offline=session.settings.offline)
        if refused:
            raise ConfigError(f"{refused}.")
        send(spans, otlp)
        note(f"Sent {len(spans)} spans of {trace.run} to {otlp}.")
    if file:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json_line(spans))
        note(f"Added {len(spans)} spans of {trace.run} to {file}.")
    if not otlp and not file:
        sys.stdout.write(json_line(spans))


def _trace(context: typer.Context, run: str) -> RecordedTrace:
    session: Session = context.obj
    return find_run(library_of(session).trace_root, run).trace


def _note_other_controller(trace: RecordedTrace, workspace: Workspace) -> None:
    """Warn when the live controller isn't the recorded one."""
    from longtake.agent.traces.whole_run import WholeRun

    recorded, live = WholeRun.of(trace).settings.controller, workspace.settings.controller
    if (recorded.engine, recorded.model) != (live.engine, live.model):
        before, now = (" ".join(filter(None, (each.engine, each.model))) for each in (recorded, live))
        note(f"longtake: The run was recorded with the controller {before} and continues with {now}.")


def _changes(settings: Sequence[str]) -> dict[str, Any]:
    """Parse KEY=VALUE pairs; a value that isn't JSON stays text."""
    changes: dict[str, Any] = {}
    for each in settings:
        key, sign, value = each.partition("=")
        if not key or not sign:
            raise typer.BadParameter(f"--set {each!r} isn't KEY=VALUE: write it like --set 'timestamp=[3, 7]'.")
        try:
            changes[key] = parse_json(value)
        except ValueError:
            changes[key] = value
    return changes
