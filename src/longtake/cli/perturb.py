"""`longtake perturb`: edit a video by hand, with its truth beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.cli.options import Json, print_report
from longtake.config import parse_yaml
from longtake.console import say
from longtake.errors import ConfigError

EDITABLE = (".mp4", ".mkv")


def perturb(
    name: Annotated[str | None, typer.Argument(help="Edit; without it, the edits are listed.")] = None,
    video: Annotated[Path | None, typer.Argument(metavar="IN", help="Video.", exists=True, dir_okay=False)] = None,
    out: Annotated[Path | None, typer.Argument(metavar="OUT", help="New file, .mp4 or .mkv.")] = None,
    second: Annotated[
        Path | None, typer.Option("--with", help="Second video, for mixing.", exists=True, dir_okay=False)
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Parameter of the edit; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same video.")] = 0,
    as_json: Json = False,
) -> None:
    """Make one edit of a video, check the new file, and write what was changed to OUT's .truth.json."""
    from longtake.console import raise_if_interrupted
    from longtake.evalharness.edits.edit import EditTruth
    from longtake.evalharness.edits.edit_table import EDITS, edit_named
    from longtake.evalharness.edits.rendering import make_edit, truth_file

    if name is None:
        for each, known in EDITS.items():
            say(f"{each:<16} {(known.__doc__ or '').splitlines()[0]}")
            for key, field in known.model_fields.items():
                said = f" {field.description}" if field.description else ""
                say(f"{'':<16}   {key} ({field.default}).{said}")
        return
    edit = edit_named(name, dict(map(parameter, param or ())))
    if video is None or out is None:
        raise ConfigError(f"Give the video to edit and the new file: longtake perturb {name} IN OUT")
    if out.suffix.lower() not in EDITABLE:
        raise ConfigError(f"{out} must end in {' or '.join(EDITABLE)}.")
    if out.resolve() in (video.resolve(), second and second.resolve()):
        raise ConfigError(f"{out} is a source; choose another file for the new video.")
    sources = [video] if second is None else [video, second]
    truth = make_edit(edit, name, sources, out, seed, raise_if_interrupted)

    def show(done: EditTruth) -> list[str]:
        spans = ", ".join(map(str, done.altered)) or "nothing"
        facts = "".join(f"; {key} {value}" for key, value in done.facts.items() if key != "sets")
        return [f"{out}  {done.seconds:.1f} s; altered: {spans}{facts}", f"truth: {truth_file(out)}"]

    print_report(truth, show, as_json)


def parameter(written: str) -> tuple[str, Any]:
    """A parameter's name and value.

    Raises:
        ConfigError: if it has no value, or one that can't be read.
    """
    key, has_value, value = written.partition("=")
    if not has_value:
        raise ConfigError(f"--param {written} needs a value, as in --param seconds=5.")
    try:
        return key.strip(), parse_yaml(value)
    except ValueError as error:
        raise ConfigError(f"--param {written} can't be read: {error}.") from error
