"""How far a run is, read from its files while another process asks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from longtake.console import counted
from longtake.errors import ConfigError
from longtake.evalharness.items import Prediction, PredictionKey
from longtake.evalharness.runs.journal import placed_records
from longtake.evalharness.runs.predicting import failed
from longtake.evalharness.runs.run_folder import Asking, RunFolder
from longtake.evalharness.scoring.score_table import scored_run, subject_score
from longtake.evalharness.scoring.spending import money, total, used
from longtake.evalharness.subjects.model_spec import count_asked
from longtake.memory.records import Usage
from longtake.memory.timespan import clock


class _Made(NamedTuple):
    """What is kept of a prediction."""

    failed: bool
    refused: bool
    spent: Usage


class Progress(NamedTuple):
    """How far one subject is."""

    subject: str
    done: int
    of: int
    errors: int
    refused: int
    rate: float | None  # predictions a second since the subject is asked; None of one that isn't asked now
    cost: float | None  # None if a price isn't known

    @property
    def left(self) -> int:
        """Predictions that are still to be made."""
        return self.of - self.done

    def __str__(self) -> str:
        parts = [f"{self.done} of {self.of}", f"{self.left} left", counted(self.errors, "error")]
        parts += [f"{self.refused} refused", f"cost {money(self.cost)}"]
        if self.rate and self.left:
            parts += [f"{60 * self.rate:.1f} a minute", f"about {clock(self.left / self.rate)} left"]
        return f"{self.subject}: {', '.join(parts)}"


class Watch:
    """Looks at a run again and again; only what is new is read."""

    def __init__(self, folder: RunFolder) -> None:
        """Read what the run is.

        Raises:
            ConfigError: if the folder has no run.
        """
        self._folder = folder
        self._made: dict[PredictionKey, _Made] = {}
        self._read = 0  # the byte at which the last prediction begins
        folder.card()

    def look(self, *, busy: bool) -> list[Progress]:
        """How far each subject is now; `busy`: whether a process works on the run."""
        asking = self._folder.asking() if busy else None
        file, card = self._folder.predictions_file, self._folder.card()
        for place, prediction in placed_records(file, Prediction, lambda text: None, start=self._read):
            refused = any(reply.parse == "refused" for reply in prediction.replies)
            self._made[prediction.key] = _Made(failed(prediction), refused, total(used(prediction)))
            self._read = place
        items = list(self._folder.items(lambda text: None))
        return [self._progress(name, count_asked(name, card, items), asking) for name in card.subjects]

    def _progress(self, subject: str, of: int, asking: Asking | None) -> Progress:
        held = [made for key, made in self._made.items() if key.subject == subject]
        rate = None
        if asking and asking.subject == subject:
            rate = (len(held) - asking.before) / max(time.time() - asking.since, 1.0)
        return Progress(
            subject,
            done=len(held),
            of=of,
            errors=sum(made.failed for made in held),
            refused=sum(made.refused for made in held),
            rate=rate,
            cost=total(made.spent for made in held).cost,
        )


def headlines(folder: RunFolder) -> Iterator[str]:
    """The headline of each subject, or one for each test, as far as the run is judged."""
    try:
        run = scored_run(folder, None, lambda text: None)
    except ConfigError as error:  # nothing asked yet, or the verdicts of several judges
        yield str(error)
        return
    for name in run.subjects:
        table = subject_score(run, name).table
        shown = table.headlines or ({"headline": table.headline} if table.headline else {})
        yield f"{name}: {', '.join(f'{test} {score}' for test, score in shown.items()) or table.unranked}"
