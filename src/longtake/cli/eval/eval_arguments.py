"""What the commands of `longtake eval` share: their arguments, and how they tell of what was left out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.console import EXIT_PARTIAL, note
from longtake.evalharness.runs.run_folder import RunCard

Run = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
Out = Annotated[Path, typer.Option(help="Folder of the run; one that is there already goes on.")]

Reading = Annotated[
    str | None,
    typer.Option(
        "--variant",
        help="repo, paper, signed or strict; what there is depends on the suite. Else that of the run.",
    ),
]
OfJudge = Annotated[
    str | None, typer.Option("--judge", help="Whose verdicts count where several judged: an id, or how it begins.")
]

AtOnce = Annotated[int, typer.Option(min=1, help="Requests under way at an endpoint at the same time.")]
OnlyExpected = Annotated[
    bool, typer.Option("--dry-run", help="Say what it will take in calls, tokens, time and money; ask nothing.")
]


def note_reading(card: RunCard, variant: str | None) -> None:
    """Say so where scores are read by the other protocol than the one that the run was asked under."""
    if variant in ("paper", "repo") and variant != card.protocol:
        note(f"longtake: The run was asked under {card.protocol}, and its scores are read as {variant}.")


class Remarks:
    """What was left out, noted as it is found; something left out makes the exit code 3."""

    def __init__(self) -> None:
        self._told: dict[str, None] = {}

    def notify(self, text: str) -> None:
        """Note a sentence, once."""
        if text not in self._told:
            self._told[text] = None
            note(f"longtake: {text}")

    @property
    def told(self) -> list[str]:
        """What was noted so far."""
        return list(self._told)

    def leave(self) -> None:
        """End the command, with its exit code."""
        if self._told:
            raise typer.Exit(EXIT_PARTIAL)
