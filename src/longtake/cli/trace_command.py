"""`longtake trace`: list, show, measure and compare runs."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from longtake.agent.traces.lenient_run import LenientRun, RunSummary, find_run, no_traces, run_ids
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.tree import one_line, tree_of
from longtake.cli.options import Json, library_of
from longtake.cli.replay_command import Reference, register
from longtake.console import counted, note, say, say_json
from longtake.errors import ConfigError

trace = typer.Typer(
    no_args_is_help=True, add_completion=False, help="List, show, measure, compare, replay, fork and export runs."
)
_WIDE = 2_000  # columns

register(trace)


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
