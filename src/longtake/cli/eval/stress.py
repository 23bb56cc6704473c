"""`longtake eval stress`: make the items of stress tests, and run subjects on them."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longtake.cli.options import Json, notify, print_report
from longtake.console import counted, raise_if_interrupted
from longtake.errors import ConfigError

if TYPE_CHECKING:
    from longtake.evalharness.stress.stress_suite import MadeSet


def stress(
    context: typer.Context,
    test: Annotated[str, typer.Argument(help="Stress test, or all.")],
    out: Annotated[Path, typer.Option(help="Folder for the videos and items.jsonl; existing videos stay.")],
    from_: Annotated[
        Path | None, typer.Option("--from", help="Folder of videos, with tables.", exists=True, file_okay=False)
    ] = None,
    scripted: Annotated[bool, typer.Option("--scripted", help="Draw videos with known content.")] = False,
    n: Annotated[int, typer.Option("--n", min=1, help="Videos per test.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same set.")] = 7,
    subject: Annotated[
        list[str] | None,
        typer.Option(help="As for `eval run`: ask, judge by rules and score the set; the run is OUT/run. Repeatable."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a set of videos with known changes, and questions about them; `eval run --suite stress` asks it."""
    from longtake.evalharness.stress.material import Material
    from longtake.evalharness.stress.scenes import write_scenes
    from longtake.evalharness.stress.stress_suite import make_set

    if scripted == (from_ is not None):
        raise ConfigError("Give either --from FOLDER or --scripted.")
    tell = notify(as_json)
    folder = from_ or out / "material"
    if from_ is None:
        folder.mkdir(parents=True, exist_ok=True)
        write_scenes(folder, n, seed, tell)
    made = make_set(test, Material(folder, tell), out, n, seed, tell, raise_if_interrupted)
    if subject:
        _asked(context, made, out, subject, as_json)
        return
    print_report(made, lambda done: [*_counts(done), _next(done, out)], as_json)


def _counts(made: MadeSet) -> list[str]:
    return [f"{name:<12} {counted(count, 'item')}" for name, count in made.tests.items()]


def _next(made: MadeSet, out: Path) -> str:
    return f"next: longtake eval run {made.items} --suite stress --media {out} --out RUN --subject agent"


def _asked(context: typer.Context, made: MadeSet, out: Path, subjects: list[str], as_json: bool) -> None:
    """Ask, judge and score, as the three commands do; only the scores are the result."""
    from longtake.cli.eval.eval_app import run, score
    from longtake.cli.eval.judge_command import judge

    folder = out / "run"
    with redirect_stdout(sys.stderr):
        print_report(made, _counts, as_json=False)
        run(context, Path(made.items), "stress", folder, subjects, media=out)
        judge(context, folder)
    score(folder, as_json=as_json)
