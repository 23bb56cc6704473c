"""What the commands of `longtake bench` and `longtake eval` share: options, progress, how a report is given out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.console import note, say, say_json
from longtake.errors import LibraryError
from longtake.memory.records import Record

Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Media = Annotated[Path, typer.Option(help="Folder of clips, with questions.jsonl where questions are asked.")]
Seconds = Annotated[float, typer.Option(min=10, help="Length of the video that is made of the clips.")]
Rounds = Annotated[int, typer.Option(min=1, help="How often each side is timed.")]
Work = Annotated[
    Path,
    typer.Option(help="Keeps the encoded clips, the long videos and their library, so that a second run is quick."),
]
WORK = Path(tempfile.gettempdir()) / "longtake-bench"


def notify(as_json: bool) -> Callable[[str], None]:
    """Takes what is being done and notes it for a person; with JSON it says nothing."""
    return (lambda text: None) if as_json else (lambda text: note(f"{text} ..."))


def give(report: Record, show: Callable[[Any], Sequence[str]], as_json: bool) -> None:
    """Write a report to standard output, as JSON or as the lines that `show` makes of it."""
    if as_json:
        say_json(report.model_dump(mode="json"))
        return
    for line in show(report):
        say(line)


def made(folder: Path) -> Path:
    """The folder, made when it is not there.

    Raises:
        LibraryError: when it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(f"{folder} cannot be made: {error.strerror}; choose another with --work.") from error
    return folder.resolve()
