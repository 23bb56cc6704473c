"""How far a run is: what is lacking or damaged in its files, and how it goes on while another process asks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from longtake.console import counted
from longtake.errors import ConfigError, MediaError
from longtake.evalharness.items import Item, Prediction, PredictionKey
from longtake.evalharness.judges.judging import undecided
from longtake.evalharness.runs.journal import placed_records
from longtake.evalharness.runs.predicting import failed
from longtake.evalharness.runs.run_folder import Asking, Loading, RunFolder
from longtake.evalharness.scoring.score_table import score_run
from longtake.evalharness.scoring.spending import money, total, used
from longtake.evalharness.subjects.model_spec import count_asked
from longtake.evalharness.suites.suite_table import cases_of_run
from longtake.memory.records import Record, Usage
from longtake.memory.timespan import clock
from longtake.preprocess.media.media import probe

MAX_NAMED = 5


class SubjectState(Record):
    """The progress and errors of a subject."""

    subject: str
    expected: int = Field(description="Number of predictions in the complete run.")
    made: int
    errors: int = Field(description="Predictions with a reply that is an error; `--retry-errors` asks them again.")
    unjudged: int = Field(description="Cases that no judge has decided for the reply as it stands.")


class Completeness(Record):
    """The content of a run, and what is missing."""

    run: str
    suite: str
    items: int
    missing_videos: tuple[str, ...] = Field(description="None of an imported run: there is nobody to be shown them.")
    unreadable_videos: tuple[str, ...] = Field(description="A sentence each.")
    loading: Loading
    damaged: tuple[str, ...] = Field(description="Lines of its files that cannot be read, a sentence each.")
    subjects: tuple[SubjectState, ...]

    @property
    def complete(self) -> bool:
        """Whether nothing is missing, failed or damaged."""
        short = any(each.made < each.expected or each.errors or each.unjudged for each in self.subjects)
        lacking = self.missing_videos or self.unreadable_videos or self.loading.remarks or self.damaged
        return not (lacking or short)


def completeness(folder: RunFolder) -> Completeness:
    """Read all files of a run.

    Raises:
        ConfigError: if the folder has no run, or one of an unknown suite.
    """
    card = folder.card()
    damaged = list[str]()
    items = folder.items_by_id(damaged.append)
    made, errors = Counter[str](), Counter[str]()
    for prediction in folder.predictions(damaged.append).values():
        if prediction.item in items:
            made[prediction.subject] += 1
            errors[prediction.subject] += failed(prediction)
    missing = [] if card.imported else [item.video for item in items.values() if _is_missing(item)]
    unjudged = undecided(folder, items, damaged.append, cases_of_run(card))
    return Completeness(
        run=str(folder.path),
        suite=card.suite,
        items=len(items),
        missing_videos=tuple(dict.fromkeys(missing)),
        unreadable_videos=tuple(_unreadable(items.values())),
        loading=folder.loading(),
        subjects=tuple(
            SubjectState(
                subject=name,
                expected=count_asked(name, card, items.values()),
                made=made[name],
                errors=errors[name],
                unjudged=unjudged[name],
            )
            for name in card.subjects
        ),
        damaged=tuple(dict.fromkeys(damaged)),
    )


def show_completeness(held: Completeness) -> list[str]:
    """What there is, for a person, then what is lacking and what to do about it."""
    lines = [f"{held.run}: {held.suite}, {counted(held.items, 'item')}"]
    for each in held.subjects:
        lines.append(f"  {each.subject}: {each.made} of {counted(each.expected, 'prediction')}")
        if each.made < each.expected:
            lines.append("    continue with the same `longtake eval run` command")
        if each.errors:
            lines.append(f"    {counted(each.errors, 'error')}: `longtake eval run ... --retry-errors` asks again")
        if each.unjudged:
            lines.append(f"    {counted(each.unjudged, 'verdict')} missing: longtake eval judge {held.run}")
    if held.missing_videos:
        more = len(held.missing_videos) - MAX_NAMED
        named = ", ".join(held.missing_videos[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
        lines.append(
            f"  not there: {named}; give the same `longtake eval run` command with --media, the folder of the videos, "
            "and --retry-errors"
        )
    if held.unreadable_videos:
        lines += [f"  {sentence}" for sentence in held.unreadable_videos]
        lines.append("    replace them; the same `longtake eval run` command with --retry-errors asks again")
    if held.loading.remarks:
        more = held.loading.remarks - MAX_NAMED
        lines.append(f"  when the items were loaded: {counted(held.loading.remarks, 'remark')}")
        lines += [f"    {sentence}" for sentence in held.loading.first[:MAX_NAMED]]
        lines += [f"    and {more} more, in {held.run}/loading.json"] if more > 0 else []
        lines.append("    the same `longtake eval run` command adds what was corrected")
    lines += [f"  {line}" for line in held.damaged]
    if held.damaged:
        lines.append("    the same `longtake eval run` and `judge` commands set damaged lines aside and redo them")
    return lines


def _is_missing(item: Item) -> bool:
    return item.media is None or not Path(item.media).is_file()


def _unreadable(items: Iterable[Item]) -> Iterator[str]:
    """A sentence for each video that is there and cannot be read."""
    for media in dict.fromkeys(item.media for item in items if not _is_missing(item)):
        try:
            probe(Path(media or ""))
        except MediaError as error:
            yield str(error)


class _Made(NamedTuple):
    """What is kept of a prediction."""

    failed: bool
    refused: bool
    spent: Usage


class SubjectProgress(NamedTuple):
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

    def look(self, *, busy: bool) -> list[SubjectProgress]:
        """How far each subject is now; `busy`: whether a process works on the run."""
        asking = self._folder.asking() if busy else None
        file, card = self._folder.predictions_file, self._folder.card()
        for place, prediction in placed_records(file, Prediction, lambda text: None, start=self._read):
            refused = any(reply.parse == "refused" for reply in prediction.replies)
            self._made[prediction.key] = _Made(failed(prediction), refused, total(used(prediction)))
            self._read = place
        items = list(self._folder.items(lambda text: None))
        return [self._progress(name, count_asked(name, card, items), asking) for name in card.subjects]

    def _progress(self, subject: str, of: int, asking: Asking | None) -> SubjectProgress:
        held = [made for key, made in self._made.items() if key.subject == subject]
        rate = None
        if asking and asking.subject == subject:
            rate = (len(held) - asking.before) / max(time.time() - asking.since, 1.0)
        return SubjectProgress(
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
        scores = score_run(folder, None, lambda text: None)
    except ConfigError as error:  # nothing asked yet, or the verdicts of several judges
        yield str(error)
        return
    for name, (_, table, _) in scores.items():
        shown = table.headlines or ({"headline": table.headline} if table.headline else {})
        yield f"{name}: {', '.join(f'{test} {score}' for test, score in shown.items()) or table.unranked}"
