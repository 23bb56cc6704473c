"""`longtake eval` as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.errors import LongtakeError

OPEN_CARD = """
name: open
file: open.csv
fields: {id: number, question: question, answer: right, video: clip}
format: open
"""


def eval_(*arguments: object, settings: tuple[object, ...] = ()) -> tuple[int, str, str]:
    """Exit code, standard output and standard error; an error that a person cannot act on is raised."""
    result = CliRunner().invoke(app, [*map(str, settings), "eval", *map(str, arguments)])
    if isinstance(result.exception, LongtakeError):
        return result.exit_code, result.stdout, f"{result.stderr}longtake: {result.exception}\n"
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def scores(run: Path, *options: str) -> dict[str, Any]:
    """What `eval score` finds of the subjects of a run."""
    code, reported, _ = eval_("score", run, *options, "--json")
    assert code == 0
    read: dict[str, Any] = json.loads(reported)
    return read


def score_of(run: Path, *options: str) -> dict[str, Any]:
    """The same of its only subject."""
    [found] = scores(run, *options).values()
    return dict(found)
