"""`longtake eval claims`: let a model write claims about videos, for a person to confirm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.eval.eval_arguments import Remarks
from longtake.cli.options import Json, print_report
from longtake.cli.progress import counting
from longtake.console import counted


def claims(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Folder of videos.", exists=True, file_okay=False)],
    subject: Annotated[str, typer.Option(help="A model that sees, as for `eval run`: model:NAME@URL?frames=32.")],
    each: Annotated[int, typer.Option(min=1, help="Pairs of claims for each video and category.")] = 3,
    as_json: Json = False,
) -> None:
    """Write true and false claims about videos to claims.csv; a person confirms each in its last column."""
    from longtake.evalharness.stress.claims import Claimed, write_claims
    from longtake.evalharness.stress.material import Material
    from longtake.evalharness.subjects.subject_table import subject_named

    remarks = Remarks()
    material = Material(folder, remarks.notify)
    model = subject_named(subject, (), context.obj)
    with counting("asking", quiet=as_json) as advance:
        done = write_claims(folder, material.videos, model, remarks.notify, each, advance)

    def show(found: Claimed) -> list[str]:
        lines = [
            f"{counted(found.written, 'pair')} written, {found.kept} kept; next: write yes or no in the column "
            f"confirmed of {found.file}, then longtake eval stress sycophancy --from {folder} --out SET"
        ]
        if decided := found.confirmed + found.rejected:
            lines.insert(0, f"{found.confirmed} of {counted(decided, 'pair')} that a person looked at confirmed")
        return lines

    print_report(done, show, as_json)
    remarks.leave()
