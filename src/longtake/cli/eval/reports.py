"""`longtake eval report`, `compare` and `export`: results of a run, as pages and as files for other tools."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.eval.eval_arguments import OfJudge, Reading, Remarks, Run, note_reading
from longtake.cli.options import Json, library_of, print_report
from longtake.console import Session, say, say_json
from longtake.errors import ConfigError
from longtake.evalharness.runs.run_folder import RunFolder

reports = typer.Typer()


@reports.command()
def report(
    context: typer.Context, run: Run, variant: Reading = None, judge: OfJudge = None, as_json: Json = False
) -> None:
    """Write report.html, its items in report/, and report.md to the run folder; traces come from the library."""
    from longtake.evalharness.reports.content import report_content
    from longtake.evalharness.reports.document import write_report
    from longtake.evalharness.reports.openable import Stills, Traces
    from longtake.evalharness.reports.run_scores import read_scores

    session: Session = context.obj
    remarks = Remarks()
    scores = read_scores(RunFolder(run), variant, remarks.notify, judge)
    note_reading(scores.card, variant)
    content = report_content(scores)
    traces = Traces(library_of(session).trace_root, remarks.notify)
    files = write_report(run, scores, content, Stills(remarks.notify), traces)
    if as_json:
        tables = {subject.name: subject.table.model_dump(mode="json") for subject in scores.subjects}
        say_json({"files": list(map(str, files)), "tables": tables})
    else:
        for sentence in content.conclusion:
            say(sentence)
        for row in content.headline.rows:
            say(f"{row[0]}  {row[1]}")
        for note in content.notes:
            say(note)
        for file in files:
            say(str(file))
    remarks.leave()


@reports.command()
def compare(
    run: Run,
    other: Annotated[Path | None, typer.Argument(metavar="[OTHER]", help="Another run folder.")] = None,
    first: Annotated[str | None, typer.Option(help="A subject of the run, or how its name begins.")] = None,
    second: Annotated[str | None, typer.Option(help="A subject of the other run, or of the same run.")] = None,
    variant: Reading = None,
    judge: OfJudge = None,
    out: Annotated[Path | None, typer.Option(help="Write a page: .html or .md.")] = None,
    as_json: Json = False,
) -> None:
    """Compare two subjects, of one run or two, on identical items: the difference and the items that flipped."""
    from longtake.evalharness.reports.compare import compare as compared
    from longtake.evalharness.reports.compare import subject_of, summary
    from longtake.evalharness.reports.document import comparison_pieces, write_pieces
    from longtake.evalharness.reports.run_scores import read_scores

    remarks = Remarks()
    if out and out.suffix not in (".html", ".md"):
        raise ConfigError(f"--out {out} must end in .html or .md.")
    ours = read_scores(RunFolder(run), variant, remarks.notify, judge)
    theirs = read_scores(RunFolder(other), variant, remarks.notify, judge) if other else ours
    one, two = subject_of(ours, first, "--first"), subject_of(theirs, second, "--second")
    if one is two:
        raise ConfigError("Name two subjects of the run with --first and --second, or give another run.")
    shared = one.name == two.name
    names = (f"{one.name} of {run.name}", f"{two.name} of {(other or run).name}") if shared else (one.name, two.name)
    found = compared(one, two, names)
    if out:
        write_pieces(out, comparison_pieces(found, out.suffix))
    if as_json:
        say_json(found.model_dump(mode="json"))
    else:
        for sentence in summary(found):
            say(sentence)
        for flip in found.flips:
            say(f"  {flip.item}  {100 * flip.first:.0f} -> {100 * flip.second:.0f}  {flip.question}")
    remarks.leave()


@reports.command()
def leaderboard(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders.")],
    variant: Reading = None,
    judge: OfJudge = None,
    out: Annotated[Path | None, typer.Option(help="Write a table: .md.")] = None,
    as_json: Json = False,
) -> None:
    """Rank the subjects of several runs; those that were asked different items are ranked separately."""
    from longtake.evalharness.reports.document import write_pieces
    from longtake.evalharness.reports.leaderboard import leaderboard as ranked
    from longtake.evalharness.reports.leaderboard import leaderboard_markdown, show_leaderboard

    remarks = Remarks()
    if out and out.suffix != ".md":
        raise ConfigError(f"--out {out} must end in .md.")
    found = ranked(runs, variant, remarks.notify, judge)
    if out:
        write_pieces(out, leaderboard_markdown(found))
    print_report(found, show_leaderboard, as_json)
    remarks.leave()


@reports.command()
def export(
    run: Run,
    to: Annotated[str, typer.Option(help="csv, lmms-eval or inspect.")],
    out: Annotated[Path, typer.Option(help="CSV file, or folder for the others.")],
    variant: Reading = None,
    judge: OfJudge = None,
) -> None:
    """Write a run for other tools: a table, samples of lmms-eval, or logs that Inspect's viewer opens."""
    from longtake.evalharness.reports.document import write_pieces
    from longtake.evalharness.reports.exports import csv_pieces, write_inspect, write_lmms
    from longtake.evalharness.reports.run_scores import read_scores

    remarks, folder = Remarks(), RunFolder(run)
    if to not in ("csv", "lmms-eval", "inspect"):
        raise ConfigError(f"Can't export to {to!r}; choose csv, lmms-eval or inspect.")
    scores = read_scores(folder, variant, remarks.notify, judge)
    if to == "csv":
        write_pieces(out, csv_pieces(scores))
        files = [out]
    elif to == "lmms-eval":
        files = write_lmms(scores, out)
    else:
        made = datetime.fromtimestamp(folder.predictions_file.stat().st_mtime, UTC)
        files = write_inspect(scores, made, out)
    for file in files:
        say(str(file))
    remarks.leave()
