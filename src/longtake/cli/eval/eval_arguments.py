"""What the commands of `longtake eval` share: arguments, asking, and warnings about data that was left out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longtake.cli.progress import counting
from longtake.console import EXIT_PARTIAL, Session, note
from longtake.evalharness.items import Item
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.runs.run_folder import RunCard, RunFolder

if TYPE_CHECKING:
    from longtake.evalharness.runs.predicting import Predicted

Run = Annotated[Path, typer.Argument(metavar="RUN", help="Run folder.")]
Out = Annotated[Path, typer.Option(help="Run folder. An existing run resumes.")]

Reading = Annotated[
    str | None,
    typer.Option(
        "--variant",
        help="repo, paper, signed or strict, depending on the suite; the run's own by default.",
    ),
]
OfJudge = Annotated[
    str | None, typer.Option("--judge", help="The judge whose verdicts count, if several judged: an id or id prefix.")
]

AtOnce = Annotated[int, typer.Option(min=1, help="Concurrent requests to an endpoint.")]
AskedAtOnce = Annotated[
    int | None,
    typer.Option(
        "--at-once",
        min=1,
        help=f"Concurrent requests to a model ({REQUESTS}), or questions to an agent with a controller at an endpoint "
        "(1), about a video each.",
        show_default=False,
    ),
]
OnlyExpected = Annotated[bool, typer.Option("--dry-run", help="Estimate calls, tokens, time and cost; ask nothing.")]


def note_reading(card: RunCard, variant: str | None) -> None:
    """Warn when a run is scored under another protocol than it was asked under."""
    if variant in ("paper", "repo") and variant != card.protocol:
        note(f"longtake: The run was asked under {card.protocol}, but is scored as {variant}.")


def asked(
    session: Session,
    folder: RunFolder,
    card: RunCard,
    items: Sequence[Item],
    remarks: Remarks,
    at_once: int | None,
    *,
    retry_errors: bool = False,
    quiet: bool,
) -> Predicted:
    """Ask the subjects of a card what the folder doesn't hold yet."""
    from longtake.evalharness.runs.predicting import predict
    from longtake.evalharness.subjects.subject_table import subject_named

    subjects = [subject_named(given, items, session, at_once) for given in card.given]
    with folder.locked():
        folder.begin(card, items)
        folder.mend(remarks.notify)
        folder.keep_items(items)
        with counting("asking", quiet=quiet) as advance:
            return predict(folder, card, items, subjects, remarks.notify, retry_errors=retry_errors, advance=advance)


class Remarks:
    """Warnings about data that was left out, printed as it is found; any of them makes the exit code 3."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}

    def notify(self, text: str) -> None:
        """Print a sentence, once."""
        if text not in self._sentences:
            self._sentences[text] = None
            note(f"longtake: {text}")

    @property
    def sentences(self) -> list[str]:
        """The warnings so far."""
        return list(self._sentences)

    def leave(self) -> None:
        """End the command with exit code 3 if there were warnings."""
        if self._sentences:
            raise typer.Exit(EXIT_PARTIAL)
