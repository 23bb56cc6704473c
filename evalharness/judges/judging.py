"""The second stage of a run: judges the replies and stores the verdicts separately.

Decided cases aren't asked again, so that a killed run resumes. Cases without a verdict because of an error are asked
again, and so are new replies, whose earlier verdicts no longer count. The last of several judgements of a case counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from longtake.errors import ConfigError
from longtake.evalharness.items import ALL_TURNS, Item, Judgement, Prediction, PredictionKey, Reply
from longtake.evalharness.judges.judge import Asks, Case, Finding, Judge, nothing_said, reply_hash
from longtake.evalharness.runs.bounded_map import at_once
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.memory.records import Record

CasesOf = Callable[[Item, Prediction], Iterable[Case]]
_Key = tuple[PredictionKey, int, str]
_UNSAID = reply_hash(Reply(text=""))


class Judged(Record):
    """The outcome of judging a run."""

    judged: int = Field(description="Cases that the judge received now.")
    kept: int = Field(description="Cases that it had decided before.")
    unjudged: int = Field(description="Of those that it received now, cases without a verdict.")


class _Row(NamedTuple):
    """A case and its prediction."""

    case: Case
    prediction: Prediction

    @property
    def key(self) -> _Key:
        """The key of the case in the run."""
        return self.prediction.key, self.case.number, self.case.name


def cases(item: Item, prediction: Prediction, *, whole: Asks = "whole", with_question: bool = False) -> Iterator[Case]:
    """The decisions for a prediction: each criterion of each turn, and open turns without criteria as a whole.

    Args:
        item: what was asked.
        prediction: the replies; a missing one counts as empty.
        whole: how open turns are judged, `whole` or `grade`.
        with_question: whether a model judge also sees the question.
    """
    for number, turn, reply in prediction.turns_of(item):
        for criterion in turn.criteria:
            asks: Asks = "penalty" if criterion.penalty else "criterion"
            yield Case(item, number, reply, asks, criterion, with_question)
        if not turn.criteria and item.format == "open":
            yield Case(item, number, reply, whole, None, with_question)


def current(judgements: Iterable[Judgement], predictions: Iterable[Prediction]) -> Iterator[Judgement]:
    """The judgements that count, in order: those of the current replies.

    Judgements of older runs, which don't name their reply, count for any.
    """
    said: dict[tuple[PredictionKey, int], str] = {}
    for made in predictions:
        said |= {(made.key, turn): reply_hash(reply) for turn, reply in enumerate(made.replies)}
        said[made.key, ALL_TURNS] = reply_hash(made.together)
    return (one for one in judgements if one.reply in ("", said.get((one.key, one.turn), _UNSAID)))


def which_judge(verdicts: Mapping[str, int], name: str | None, run: Path) -> str | None:
    """The judge whose verdicts count, since scores are made of those of one; None, which is any, if nobody gave one.

    Args:
        verdicts: how many each judge gave; judges without any, for example because their model was down, are skipped.
        name: the id of the judge, or how it begins; None: the only one.
        run: the folder, for the message.

    Raises:
        ConfigError: if none or several are of that name, or when there are several and none is named.
    """
    if not verdicts:
        if name is not None:
            raise ConfigError(f"{run} has no verdicts yet; run `longtake eval judge {run}`.")
        return None
    named = [name] if name in verdicts else [judge for judge in verdicts if judge.startswith(name or "")]
    if len(named) != 1:
        held = ", ".join(f"{judge} ({count})" for judge, count in verdicts.items())
        raise ConfigError(f"{run} has verdicts of {held}; name one of these judges with --judge.")
    return named[0]


def judge_run(
    folder: RunFolder,
    items: Mapping[str, Item],
    judge: Judge,
    notify: Notify,
    cases_of: CasesOf = cases,
    limit: int | None = None,
    advance: Callable[[int, int], None] = lambda done, of: None,
) -> Judged:
    """Judge all undecided cases. If a judge is down, the run records errors and continues.

    Args:
        folder: of the run.
        items: by their ids.
        judge: decides every case.
        notify: called for cases without a verdict, predictions without an item and skipped lines.
        cases_of: what is to be decided of a prediction.
        limit: only what was said to this many items, the first of those with something to judge.
        advance: called with the number of cases judged and of all to be judged, at the start and after each.

    Raises:
        LibraryError: if the folder cannot be written to.
    """
    predictions = folder.predictions(notify).values()
    done = _done(folder, predictions, judge, notify)
    judged = unjudged = 0
    silent = partial(_rows, items, predictions, lambda sentence: None, cases_of, limit)
    of = sum(1 for row in silent() if row.key not in done)
    advance(0, of)
    with Journal(folder.judgements_file) as journal:
        missing = (row for row in _rows(items, predictions, notify, cases_of, limit) if row.key not in done)
        for judgement in at_once(partial(_judge, judge), missing, judge.at_once):
            journal.append(judgement)
            judged += 1
            advance(judged, of)
            unjudged += judgement.met is None
            if judgement.error:
                notify(f"{judgement.judge}, {judgement.item}, {judgement.criterion or 'reply'}: {judgement.error}")
    return Judged(judged=judged, kept=len(done), unjudged=unjudged)


def to_judge(
    folder: RunFolder, items: Mapping[str, Item], judge: Judge, notify: Notify, cases_of: CasesOf, limit: int | None
) -> Iterator[Case]:
    """The cases that `judge_run` would judge with the same arguments, without asking."""
    predictions = folder.predictions(notify).values()
    done = _done(folder, predictions, judge, notify)
    rows = _rows(items, predictions, notify, cases_of, limit)
    return (row.case for row in rows if row.key not in done)


def all_cases(folder: RunFolder, items: Mapping[str, Item], cases_of: CasesOf) -> Iterator[Case]:
    """Everything that a run has for a judge to decide, also what is decided. Those who wrote it heard of its faults."""
    silent: Notify = lambda sentence: None  # noqa: E731
    return (row.case for row in _rows(items, folder.predictions(silent).values(), silent, cases_of))


def undecided(folder: RunFolder, items: Mapping[str, Item], notify: Notify, cases_of: CasesOf = cases) -> Counter[str]:
    """The number of undecided cases of each subject, for the current replies."""
    predictions = folder.predictions(notify).values()
    decided = {_key(held) for held in current(folder.judgements(notify), predictions) if held.decided}
    rows = _rows(items, predictions, notify, cases_of)
    return Counter(row.prediction.subject for row in rows if row.key not in decided)


def _done(folder: RunFolder, predictions: Iterable[Prediction], judge: Judge, notify: Notify) -> set[_Key]:
    """What a judge has decided."""
    held = current(folder.judgements(notify), predictions)
    return {_key(one) for one in held if one.error is None and one.judge == judge.id}


def _rows(
    items: Mapping[str, Item],
    predictions: Collection[Prediction],
    notify: Notify,
    cases_of: CasesOf,
    limit: int | None = None,
) -> Iterator[_Row]:
    wanted = set(items)
    if limit is not None:
        held = (made for made in predictions if made.item in items)
        having = {made.item for made in held if any(True for _ in cases_of(items[made.item], made))}
        wanted = set(islice((item for item in items if item in having), limit))
    for prediction in predictions:
        if prediction.item not in items:
            notify(f"{prediction.subject}, {prediction.item}: there is no item of this id; it was not judged.")
        elif prediction.item in wanted:
            for case in cases_of(items[prediction.item], prediction):
                yield _Row(case, prediction)


def _judge(judge: Judge, row: _Row) -> Judgement:
    return _judgement(judge, row, nothing_said(row.case) if row.case.empty else judge.judge(row.case))


def _judgement(judge: Judge, row: _Row, finding: Finding) -> Judgement:
    prediction, turn, criterion = row.key
    return Judgement(
        **prediction._asdict(),
        turn=turn,
        criterion=criterion,
        judge=judge.id,
        reply=reply_hash(row.case.reply),
        **dict(finding),
    )


def _key(held: Judgement) -> _Key:
    """The key of the row that was judged."""
    return held.key, held.turn, held.criterion
