"""`longtake eval stress`: make the items of stress tests, and run subjects on them; `claims` and `refine` beside it.

`eval claims` lets a model write claims about videos, for a person to confirm; `eval refine` lets a model improve the
prompt of a stress test by its own failures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longtake.cli.eval.eval_arguments import Remarks
from longtake.cli.eval.judge_command import By, Key, Model, Url, judge
from longtake.cli.options import Json, ensure_folder, notify, print_report
from longtake.cli.perturb import parameter
from longtake.cli.progress import counting
from longtake.console import EXIT_PARTIAL, counted, raise_if_interrupted
from longtake.errors import ConfigError
from longtake.evalharness.judges.judge_table import API_KEY, JudgeOptions, judge_named, resolved

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
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="Parameter of a test's edit; several values, as in seconds=10,33, make a sweep."
        ),
    ] = None,
    subject: Annotated[
        list[str] | None,
        typer.Option(help="As for `eval run`: ask, judge and score the set; the run is OUT/run. Repeatable."),
    ] = None,
    by: By = None,
    url: Url = None,
    model: Model = None,
    key: Key = API_KEY,
    as_json: Json = False,
) -> None:
    """Make a set of videos with known changes, and questions about them; `eval run --suite stress` asks it."""
    from longtake.evalharness.stress.material import Material
    from longtake.evalharness.stress.scenes import write_scenes
    from longtake.evalharness.stress.stills import write_stills
    from longtake.evalharness.stress.stress_suite import check_parameters, make_set, tests_named

    if scripted == (from_ is not None):
        raise ConfigError("Give either --from FOLDER or --scripted.")
    parameters = dict(map(_values, param or ()))
    check_parameters(tests_named(test), parameters)  # a wrong name is reported before anything is drawn
    remarks, tell = Remarks(), notify(as_json)
    folder = from_ or ensure_folder(out / "material")
    # Drawn videos of other seeds may lie there.
    videos = None if from_ else write_scenes(folder, n, seed, tell)
    stills = write_stills(folder, n, seed, tell) if scripted and {"camera", "camera-3d"} & {*tests_named(test)} else ()
    material = Material(folder, remarks.notify, videos, stills)
    made = make_set(test, material, out, n, seed, tell, raise_if_interrupted, parameters)
    if subject:
        _asked(context, made, out, subject, by, JudgeOptions(context.obj, url, model, key), as_json)
    else:
        following = f"next: longtake eval run {made.items} --suite stress --media {out} --out RUN --subject agent"
        print_report(made, lambda done: [*_counts(done), following], as_json)
    remarks.leave()


def _values(written: str) -> tuple[str, list[Any]]:
    """A parameter's name and its values."""
    name = parameter(written)[0]
    return name, [parameter(f"{name}={value}")[1] for value in written.partition("=")[2].split(",")]


def _counts(made: MadeSet) -> list[str]:
    return [f"{name:<12} {counted(count, 'item')}" for name, count in made.tests.items()]


def _asked(
    context: typer.Context,
    made: MadeSet,
    out: Path,
    subjects: list[str],
    by: str | None,
    options: JudgeOptions,
    as_json: bool,
) -> None:
    """Ask, judge and score, as the three commands do; only the scores are the result.

    Raises:
        ConfigError: before anybody is asked, if there is no judge for it.
        typer.Exit: with code 3 in the end, if a stage left something out.
    """
    from longtake.cli.eval.eval_app import run, score
    from longtake.evalharness.stress.stress_suite import asks_for_words

    judge_named(*resolved(by, options, lambda: asks_for_words(Path(made.items))))
    folder = out / "run"
    with redirect_stdout(sys.stderr):
        print_report(made, _counts, as_json=False)
        incomplete = _is_partial(lambda: run(context, Path(made.items), "stress", folder, subjects, media=out))
        incomplete |= _is_partial(lambda: judge(context, folder, by, options.url, options.model, options.key))
    incomplete |= _is_partial(lambda: score(folder, as_json=as_json))
    if incomplete:
        raise typer.Exit(EXIT_PARTIAL)


def _is_partial(stage: Callable[[], None]) -> bool:
    """Run a stage; whether it left something out, which it has reported. The next one works with the rest."""
    try:
        stage()
    except typer.Exit as leaving:
        if leaving.exit_code != EXIT_PARTIAL:
            raise
        return True
    return False


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
