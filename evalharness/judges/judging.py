"""The second stage: what has been said is judged, and the verdicts are kept apart from it.

What a judge has decided is not asked again, so that a killed run goes on where it was; a case without a verdict because
of an error is asked again, and so is a reply that was made anew. Of several judgements of one case the last one holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from longtake.evalharness.at_once import at_once
from longtake.evalharness.items import Item, Judgement, Prediction, PredictionKey
from longtake.evalharness.journal import Journal
from longtake.evalharness.judges.judge import Asks, Case, Finding, Judge, nothing_said, reply_hash
from longtake.evalharness.run_folder import RunFolder, Tell
from longtake.memory.records import Record

CasesOf = Callable[[Item, Prediction], Iterable[Case]]
_Key = tuple[PredictionKey, int, str, str]


class Judged(Record):
    """What became of the judging of a run."""

    judged: int
    kept: int
    unjudged: int


class _Row(NamedTuple):
    """A case and the prediction whose it is."""

    case: Case
    prediction: Prediction

    @property
    def key(self) -> _Key:
        """What tells it from the other cases of the run: a reply that was made anew is another case."""
        return self.prediction.key, self.case.number, self.case.name, reply_hash(self.case.reply)


def cases(item: Item, prediction: Prediction, *, whole: Asks = "whole", with_question: bool = False) -> Iterator[Case]:
    """What is to be decided of a prediction: each criterion of each turn, and open turns without criteria as a whole.

    Args:
        item: what was asked.
        prediction: what was said; a turn that it has no reply to was replied to with nothing.
        whole: how open turns are judged, `whole` or `grade`.
        with_question: whether a model judge is shown the question too.
    """
    for number, turn, reply in prediction.turns_of(item):
        for criterion in turn.criteria:
            asks: Asks = "penalty" if criterion.penalty else "criterion"
            yield Case(item, number, reply, asks, criterion, with_question)
        if not turn.criteria and item.format == "open":
            yield Case(item, number, reply, whole, None, with_question)


def judge_run(
    folder: RunFolder,
    items: Mapping[str, Item],
    judge: Judge,
    tell: Tell,
    cases_of: CasesOf = cases,
) -> Judged:
    """Judge what has not been judged yet; a judge that is down leaves errors behind, and the run goes on.

    Args:
        folder: of the run.
        items: by their ids.
        judge: decides every case.
        tell: told of cases without a verdict, of predictions without an item, and of lines that were left out.
        cases_of: what is to be decided of a prediction.

    Raises:
        LibraryError: when the folder cannot be written to.
    """
    done = {_key(held) for held in folder.judgements(tell) if held.error is None and held.judge == judge.id}
    predictions = folder.predictions(tell).values()
    judged = unjudged = 0
    with Journal(folder.judgements_file) as journal:
        missing = (row for row in _rows(items, predictions, tell, cases_of) if row.key not in done)
        for judgement in at_once(partial(_judge, judge), missing, judge.at_once):
            journal.append(judgement)
            judged += 1
            unjudged += judgement.met is None
            if judgement.error:
                tell(f"{judgement.judge}, {judgement.item}, {judgement.criterion or 'reply'}: {judgement.error}")
    return Judged(judged=judged, kept=len(done), unjudged=unjudged)


def undecided(folder: RunFolder, items: Mapping[str, Item], tell: Tell, cases_of: CasesOf = cases) -> Counter[str]:
    """How many cases of each subject no judge has decided, for the replies as they stand now."""
    decided = {_key(held) for held in folder.judgements(tell) if held.met is not None}
    rows = _rows(items, folder.predictions(tell).values(), tell, cases_of)
    return Counter(row.prediction.subject for row in rows if row.key not in decided)


def _rows(
    items: Mapping[str, Item], predictions: Iterable[Prediction], tell: Tell, cases_of: CasesOf
) -> Iterator[_Row]:
    for prediction in predictions:
        item = items.get(prediction.item)
        if item is None:
            tell(f"{prediction.subject}, {prediction.item}: there is no item of this id; it was not judged.")
            continue
        for case in cases_of(item, prediction):
            yield _Row(case, prediction)


def _judge(judge: Judge, row: _Row) -> Judgement:
    return _judgement(judge, row, nothing_said(row.case) if row.case.empty else judge.judge(row.case))


def _judgement(judge: Judge, row: _Row, finding: Finding) -> Judgement:
    prediction, turn, criterion, reply = row.key
    return Judgement(
        **prediction._asdict(),
        turn=turn,
        criterion=criterion,
        judge=judge.id,
        reply=reply,
        **dict(finding),
    )


def _key(held: Judgement) -> _Key:
    """The key of the row that was judged."""
    return PredictionKey(held.item, held.variant, held.subject, held.seed), held.turn, held.criterion, held.reply
