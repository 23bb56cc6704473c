"""`longtake eval expand`: draft the further ways of asking the questions that models failed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.eval.eval_arguments import AtOnce, OfJudge, Remarks
from longtake.cli.progress import counting
from longtake.console import Session, counted, say
from longtake.errors import ConfigError
from longtake.evalharness.runs.bounded_map import REQUESTS


def expand(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run of `eval check`, judged.")],
    out: Annotated[Path, typer.Option(help="CSV file for the drafts.", dir_okay=False)],
    judge: OfJudge = None,
    at_once: AtOnce = REQUESTS,
) -> None:
    """Draft a paraphrase, two leading questions and options from wrong replies, for a person to correct (Video-TT)."""
    from longtake.evalharness.building.stages import Stages
    from longtake.evalharness.building.variants import COLUMNS, variants
    from longtake.evalharness.reports.run_scores import read_scores
    from longtake.evalharness.runs.journal import write_file
    from longtake.evalharness.runs.run_folder import RunFolder
    from longtake.evalharness.suites.benchmark_rows import csv_text

    if out.exists():
        raise ConfigError(f"{out} is there already and may have been corrected; choose another file.")
    session: Session = context.obj
    remarks = Remarks()
    scores = read_scores(RunFolder(run), None, remarks.notify, judge)
    folder = run / "expanding"
    folder.mkdir(exist_ok=True)
    with counting("asking", quiet=False) as advance:
        stages = Stages(
            folder, session.settings, remarks.notify, most=at_once, advance=lambda _, done, of: advance(done, of)
        )
        rows = variants(scores, stages)
    write_file(out, csv_text([COLUMNS, *rows]))
    say(
        f"{counted(len(rows) // 5, 'question')} in five ways in {out}; correct or delete what isn't right, then "
        f"longtake eval run {out} --suite video-tt --media VIDEOS --out RUN --subject SUBJECT"
    )
    remarks.leave()
