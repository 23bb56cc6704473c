"""`longtake trace`: list, show, measure, compare, replay, fork and export runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.agent.traces.lenient_run import LenientRun, RunSummary, find_run, no_traces, run_ids
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.tree import one_line, tree_of
from longtake.cli.ask import EXITS, open_library
from longtake.cli.ask import show as show_answer
from longtake.cli.options import Json, library_of
from longtake.console import EXIT_FAILED, Session, counted, note, say, say_json
from longtake.errors import ConfigError
from longtake.language.text import parse_json
from longtake.offline import refused_endpoint
from longtake.preprocess.pipeline.workspace import Workspace

Reference = Annotated[str, typer.Argument(help="Run id, id prefix, or `last`.", metavar="RUN")]
trace = typer.Typer(
    no_args_is_help=True, add_completion=False, help="List, show, measure, compare, replay, fork and export runs."
)
_WIDE = 2_000  # columns


@trace.command("list")
def list_runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of runs.")] = 20,
    as_json: Json = False,
) -> None:
    """List the latest runs, newest first."""
    root = library_of(context.obj).trace_root
    ids = run_ids(root)
    summaries = (_run(root, run).summary for run in ids[:limit])
    more = max(0, len(ids) - limit)
    if as_json:
        return say_json({"runs": [summary.model_dump() for summary in summaries], "more": more})
    if not ids:
        return say(no_traces(root))
    for summary in summaries:
        say(_line(summary))
    if more:
        note(f"longtake: {counted(more, 'older run')} not listed; `--limit {len(ids)}` lists all.")
    return None


@trace.command()
def show(context: typer.Context, run: Reference, as_json: Json = False) -> None:
    """Show a run step by step: times, tokens, cost, repairs, failures and findings."""
    from rich.console import Console

    from longtake.agent.traces.steps import steps_of

    found = find_run(library_of(context.obj).trace_root, run)
    if not as_json:
        # Rich assumes 80 columns where there's no terminal.
        Console(highlight=False, width=None if sys.stdout.isatty() else _WIDE).print(tree_of(found))
        return
    document = {
        **found.summary.model_dump(),
        **found.asked.model_dump(),
        "steps": [step.model_dump() for step in steps_of(found)],
        "answer": found.answer.model_dump() if found.answer else None,
    }
    say_json(document | {"problems": found.problems})


@trace.command()
def stats(
    context: typer.Context,
    runs: Annotated[list[str] | None, typer.Argument(help="All by default.", metavar="RUN...")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the tools to this SVG file.", dir_okay=False)] = None,
    as_json: Json = False,
) -> None:
    """Measure runs: each tool's calls, errors, latency and share of the time; rounds, cost, and how runs ended."""
    from longtake.agent.traces.stats import plot_of, stats_of, table_of

    if plot and plot.suffix.lower() != ".svg":
        raise ConfigError(f"{plot} can't be drawn: plots are SVG, so give --plot a name ending in .svg.")
    root = library_of(context.obj).trace_root
    named = (find_run(root, run) for run in runs) if runs else (_run(root, run) for run in run_ids(root))
    found = stats_of(named)
    if plot:
        plot.write_text(plot_of(found), encoding="utf-8")
        note(f"Drew the tools of {counted(found.runs, 'run')} to {plot}.")
    say_json(found.model_dump()) if as_json else say("\n".join(table_of(found)))


@trace.command()
def diff(
    context: typer.Context,
    before: Annotated[str, typer.Argument(help="Run id, id prefix, or `last`.", metavar="A")],
    after: Annotated[str, typer.Argument(help="A later run of the same question.", metavar="B")],
    as_json: Json = False,
) -> None:
    """Compare two runs of a question: calls added, removed and changed, and whether the answer changed."""
    from longtake.agent.traces.diff import diff_of, lines_of

    root = library_of(context.obj).trace_root
    found = diff_of(find_run(root, before), find_run(root, after))
    say_json(found.model_dump()) if as_json else say("\n".join(lines_of(found)))


@trace.command()
def html(
    context: typer.Context,
    run: Reference,
    out: Annotated[Path | None, typer.Option(help="Output file; RUN.html by default.", dir_okay=False)] = None,
    as_json: Json = False,
) -> None:
    """Write a run as one HTML page: the player, what each call looked at, the steps and the proof of the answer."""
    from longtake.agent.traces.pages.page import address_from, page_of

    library = library_of(context.obj)
    found = find_run(library.trace_root, run)
    file = out or Path(f"{found.id}.html")
    file.write_text(page_of(found.trace, library, address_from(file.parent)), encoding="utf-8")
    say_json({"run": found.id, "file": str(file.resolve())}) if as_json else say(str(file))


def _line(summary: RunSummary) -> str:
    usage = summary.usage
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(summary.asked))
    tokens = usage.input_tokens + usage.output_tokens
    spent = f"{counted(usage.rounds, 'round'):>9}  {tokens:>7,} tokens  {usage.cost:>6g} cost"
    question = f"{'(fork) ' if summary.forked_from else ''}{one_line(summary.question)}"
    return f"{summary.run}  {when}  {summary.status:<11}  {usage.seconds:>6.1f} s  {spent}  {question}"


def _run(root: Path, run: str) -> LenientRun:
    return LenientRun(RecordedTrace(root, run))


@trace.command()
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


@trace.command()
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


@trace.command()
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
