"""`longtake eval refine`: let a model improve the prompt of a stress test by its own failures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.eval.eval_arguments import Remarks
from longtake.cli.options import Json, print_report
from longtake.cli.progress import counting


def refine(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Folder that `eval stress` made.", exists=True, file_okay=False)],
    subject: Annotated[str, typer.Option(help="A model that sees, as for `eval run`: model:NAME@URL?frames=32.")],
    out: Annotated[Path, typer.Option(help="YAML file for `eval run --prompts`.", dir_okay=False)],
    as_json: Json = False,
) -> None:
    """Ask a small set, and after each failure for a better prompt, until the replies settle (REVEAL)."""
    from longtake.evalharness.stress.refining import Refinement
    from longtake.evalharness.stress.refining import refine as refined
    from longtake.evalharness.stress.stress_suite import ITEMS
    from longtake.evalharness.stress.stress_test import SUITE
    from longtake.evalharness.subjects.subject_table import subject_named
    from longtake.evalharness.suites.suite_table import suite_named

    remarks = Remarks()
    items = suite_named(SUITE).load(folder / ITEMS, folder, "repo", remarks.notify)
    model = subject_named(subject, items, context.obj)
    with counting("refining", quiet=as_json) as advance:
        done = refined(items, model, out, remarks.notify, advance)

    def show(found: Refinement) -> list[str]:
        rounds = ", ".join(map(str, found.right))
        end = "the replies settled" if found.settled else "the replies didn't settle"
        command = f"longtake eval run SET/{ITEMS} --suite {SUITE} --media SET --prompts {out}"
        return [
            f"right of {found.items} in each round: {rounds}; {end}",
            f"next: {command} --subject {subject} --out RUN",
        ]

    print_report(done, show, as_json)
    remarks.leave()
