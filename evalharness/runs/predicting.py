"""The first stage of a run: asks every subject every item, in every variant and with every seed.

Stored replies aren't asked again, so that a killed run resumes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from pydantic import Field

from longtake.console import counted
from longtake.errors import Cancelled, LibraryUnavailable, LongtakeError
from longtake.evalharness.items import Item, Prediction, PredictionKey, Reply, Variant
from longtake.evalharness.runs.bounded_map import in_lanes
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import Notify, RunCard, RunFolder
from longtake.evalharness.subjects.model_spec import asked_in
from longtake.evalharness.subjects.subject import AskedTurn, InLanes, NoAnswer, NothingToShow, Subject
from longtake.memory.records import Record


class Predicted(Record):
    """The outcome of predicting."""

    asked: int
    kept: int
    errors: int
    errors_before: int = Field(description="Of those kept; they were not asked again.")

    def __str__(self) -> str:
        replies = f"{self.asked} {'reply' if self.asked == 1 else 'replies'}"
        return f"{replies}, {self.kept} kept from before, {counted(self.errors, 'error')}"


def predict(
    folder: RunFolder,
    card: RunCard,
    items: Sequence[Item],
    subjects: Sequence[Subject],
    notify: Notify,
    *,
    retry_errors: bool = False,
    advance: Callable[[int, int], None] = lambda done, of: None,
) -> Predicted:
    """Ask what has not been asked yet. Items of one video are asked one after the other, so that its index is shared.

    `notify` is called for each prediction that failed, for errors that were there before, and for lines left out;
    `advance` with the number of predictions made and of all to be made.

    Raises:
        LibraryError: if the folder cannot be written to.
    """
    held = folder.predictions(notify)
    done = settled(held, retry_errors=retry_errors)
    asked = errors = 0
    of = sum(1 for subject in subjects for _ in rows(subject, card, items, done))
    advance(0, of)
    errors_before = 0 if retry_errors else sum(map(failed, held.values()))
    if errors_before:
        notify(f"{counted(errors_before, 'error')} from before; --retry-errors asks again.")
    with Journal(folder.predictions_file) as journal:
        for subject in subjects:
            folder.begin_asking(subject.name, sum(key.subject == subject.name for key in held))
            for prediction in in_lanes(partial(_ask, subject), _lanes(subject, card, items, done), subject.at_once):
                journal.append(prediction)
                asked += 1
                advance(asked, of)
                errors += failed(prediction)
                for reply in prediction.replies:
                    if reply.error:
                        notify(f"{subject.name}, {prediction.item}: {reply.error}")
    return Predicted(asked=asked, kept=len(done), errors=errors, errors_before=errors_before)


def settled(held: Mapping[PredictionKey, Prediction], *, retry_errors: bool) -> set[PredictionKey]:
    """The stored predictions that aren't asked again."""
    return {key for key, prediction in held.items() if not (retry_errors and failed(prediction))}


def rows(
    subject: Subject, card: RunCard, items: Sequence[Item], done: Collection[PredictionKey]
) -> Iterator[tuple[Item, Variant, int]]:
    """What a subject still has to answer: item, variant and seed, grouped by video."""
    ordered = sorted(items, key=lambda item: item.video)
    for item, variant, seed in product(ordered, asked_in(subject.name, card), card.seeds):
        if variant.applies(item) and PredictionKey(item.id, variant.name, subject.name, seed) not in done:
            yield item, variant, seed


def _lanes(
    subject: Subject, card: RunCard, items: Sequence[Item], done: Collection[PredictionKey]
) -> Iterable[Sequence[tuple[Item, Variant, int]]]:
    """The same rows in lanes: what the subject answers one after the other, however much it answers at once."""
    missing = rows(subject, card, items, done)
    if not isinstance(subject, InLanes):
        return ([row] for row in missing)
    lanes: dict[str, list[tuple[Item, Variant, int]]] = {}
    for row in missing:
        lanes.setdefault(subject.lane(row[0]), []).append(row)
    return lanes.values()


def failed(prediction: Prediction) -> bool:
    """Whether any reply of a prediction is an error."""
    return any(reply.status != "ok" for reply in prediction.replies)


def _ask(subject: Subject, row: tuple[Item, Variant, int]) -> Prediction:
    """The conversation of an item. Before each turn, it has the references or the subject's own replies."""
    item, variant, seed = row
    started = time.monotonic()
    history: list[tuple[str, str]] = []
    replies: list[Reply] = []
    for number, turn in enumerate(item.turns):
        reply = _reply(subject, AskedTurn(item, number, variant, seed, () if item.separate else tuple(history)))
        replies.append(reply)
        history.append((turn.question, reply.text if variant.history == "own" else turn.reference))
    return Prediction(
        item=item.id,
        variant=variant.name,
        subject=subject.name,
        seed=seed,
        replies=tuple(replies),
        seconds=round(time.monotonic() - started, 3),
    )


def _reply(subject: Subject, asked: AskedTurn) -> Reply:
    try:
        return subject.reply(asked)
    except (Cancelled, LibraryUnavailable):  # no subject's fault: the run goes on when asked again
        raise
    except NothingToShow as error:
        return Reply(text="", status="no_media", error=str(error))
    except LongtakeError as error:
        usage = error.usage if isinstance(error, NoAnswer) else None
        return Reply(text="", status="error", error=str(error), usage=usage)
