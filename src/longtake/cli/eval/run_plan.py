"""`longtake eval run --dry-run`: estimates what a run will take.

If the run already holds finished predictions of a subject, every other turn is expected to take their mean; otherwise
the subject gives its own estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from longtake.console import Session, counted
from longtake.errors import LongtakeError
from longtake.evalharness.items import Item, Prediction, PredictionKey, Variant
from longtake.evalharness.runs.predicting import failed, rows, settled
from longtake.evalharness.runs.run_folder import Notify, RunCard, RunFolder
from longtake.evalharness.scoring.spending import money, total
from longtake.evalharness.subjects.subject import AskedTurn, SaysCost, Subject
from longtake.evalharness.views.view_table import view_named
from longtake.memory.records import Record, Usage
from longtake.memory.timespan import clock
from longtake.preprocess.pipeline.estimate import estimate
from longtake.preprocess.pipeline.workspace import Workspace


class ExpectedRun(Record):
    """What a subject will take for the items it hasn't been asked yet."""

    subject: str
    predictions: int
    turns: int
    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float | None
    cost: float | None  # None if the price isn't known
    measured_on: int
    at_most: bool


class DryRun(Record):
    """The public shape of `eval run --dry-run --json`; `indexing` is None if this library can't tell yet."""

    subjects: tuple[ExpectedRun, ...]
    indexing: float | None


def dry_run(
    folder: RunFolder,
    card: RunCard,
    items: Sequence[Item],
    subjects: Sequence[Subject],
    session: Session,
    notify: Notify,
    *,
    retry_errors: bool,
) -> DryRun:
    """Estimate what `predict` would take with the same arguments; the folder needn't exist, and nothing is written.

    The library is opened only if videos must be indexed first. `notify` is called for lines that were left out, and if
    indexing can't be estimated.
    """
    predictions = folder.predictions(notify)
    done = settled(predictions, retry_errors=retry_errors)
    missing = [(subject, list(rows(subject, card, items, done))) for subject in subjects]
    videos = dict.fromkeys(
        item.media
        for subject, left in missing
        if isinstance(subject, SaysCost)
        for item, variant, _ in left
        if item.media and (subject.indexes or (variant.view and view_named(variant.view).speaks))
    )
    return DryRun(
        subjects=tuple(_expected(subject, left, predictions) for subject, left in missing),
        indexing=_indexing(Workspace(session.library_root, session.settings), list(videos), notify) if videos else 0.0,
    )


def show_dry_run(found: DryRun) -> list[str]:
    """The estimate as lines to print."""
    lines = [_line(expected) for expected in found.subjects]
    if found.indexing is None:
        lines.append("videos must be indexed first; the time is unknown until one has been indexed here")
    elif found.indexing:
        lines.append(f"videos must be indexed first, in about {clock(found.indexing)}")
    return lines


def _line(expected: ExpectedRun) -> str:
    work = f"{expected.subject}: {counted(expected.predictions, 'prediction')}, {counted(expected.turns, 'turn')}"
    if not expected.predictions:
        return f"{work}; nothing left to ask"
    time = "time unknown until its first reply" if expected.seconds is None else clock(expected.seconds)
    parts = [counted(expected.calls, "call"), f"{expected.input_tokens:,} tokens in"]
    parts += [f"{expected.output_tokens:,} out", time, f"price {money(expected.cost)}"]
    source = f", as {counted(expected.measured_on, 'prediction')} took" if expected.measured_on else ""
    return f"{work}; {'at most' if expected.at_most else 'about'} {', '.join(parts)}{source}"


def _expected(
    subject: Subject, missing: Sequence[tuple[Item, Variant, int]], predictions: Mapping[PredictionKey, Prediction]
) -> ExpectedRun:
    finished = [each for each in predictions.values() if each.subject == subject.name and not failed(each)]
    turns = sum(len(item.turns) for item, _, _ in missing)
    spent, timed, at_most = Usage(), True, False
    if finished:
        spent = _share(finished, turns)
    elif isinstance(subject, SaysCost):
        spent = total(subject.expected(asked) for row in missing for asked in _turns(*row))
        timed, at_most = bool(spent.seconds), subject.at_most
    return ExpectedRun(
        subject=subject.name,
        predictions=len(missing),
        turns=turns,
        calls=spent.rounds,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        seconds=round(spent.seconds / subject.at_once, 1) if timed else None,
        cost=spent.cost,
        measured_on=len(finished),
        at_most=at_most,
    )


def _share(finished: Sequence[Prediction], turns: int) -> Usage:
    """What this many turns take, at the mean turn of finished predictions."""
    usages = [reply.usage or Usage() for prediction in finished for reply in prediction.replies]
    spent, share = total(usages), turns / len(usages)
    return Usage(
        rounds=round(spent.rounds * share),
        seconds=sum(prediction.seconds for prediction in finished) * share,
        input_tokens=round(spent.input_tokens * share),
        output_tokens=round(spent.output_tokens * share),
        cost=None if spent.cost is None else round(spent.cost * share, 6),
    )


def _turns(item: Item, variant: Variant, seed: int) -> Iterable[AskedTurn]:
    """The turns of an item, with the references as history."""
    gold = [(turn.question, turn.reference) for turn in item.turns]
    return (
        AskedTurn(item, number, variant, seed, () if item.separate else tuple(gold[:number]))
        for number in range(len(gold))
    )


def _indexing(workspace: Workspace, videos: Sequence[str], notify: Notify) -> float | None:
    """Seconds of indexing needed before these videos can be asked about; None if unknown."""
    try:
        found = estimate(workspace, videos)
    except LongtakeError as error:
        notify(str(error))
        return None
    missing = [video.indexing for video in found.videos]
    if None in missing:
        return None
    return round(sum(sum(steps.values()) for steps in missing if steps), 1)
