"""`longtake eval stress`: make the items of stress tests, and run subjects on them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.options import Json, notify, print_report
from longtake.console import counted, raise_if_interrupted
from longtake.errors import ConfigError


def stress(
    test: Annotated[str, typer.Argument(help="Stress test, or all.")],
    out: Annotated[Path, typer.Option(help="Folder for the videos and items.jsonl; existing videos stay.")],
    from_: Annotated[
        Path | None, typer.Option("--from", help="Folder of videos, with tables.", exists=True, file_okay=False)
    ] = None,
    scripted: Annotated[bool, typer.Option("--scripted", help="Draw videos with known content.")] = False,
    n: Annotated[int, typer.Option("--n", min=1, help="Videos per test.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same set.")] = 7,
    as_json: Json = False,
) -> None:
    """Make a set of videos with known changes, and questions about them; `eval run --suite stress` asks it."""
    from longtake.evalharness.stress.material import Material
    from longtake.evalharness.stress.scenes import write_scenes
    from longtake.evalharness.stress.stress_suite import MadeSet, make_set

    if scripted == (from_ is not None):
        raise ConfigError("Give either --from FOLDER or --scripted.")
    tell = notify(as_json)
    folder = from_ or out / "material"
    if from_ is None:
        folder.mkdir(parents=True, exist_ok=True)
        write_scenes(folder, n, seed, tell)
    made = make_set(test, Material(folder, tell), out, n, seed, tell, raise_if_interrupted)

    def show(done: MadeSet) -> list[str]:
        return [
            *(f"{name:<12} {counted(count, 'item')}" for name, count in done.tests.items()),
            f"next: longtake eval run {done.items} --suite stress --media {out} --out RUN --subject agent",
        ]

    print_report(made, show, as_json)
