"""The second stage of a run: judges the replies, by the protocol of judges, and stores the verdicts separately.

Decided cases aren't asked again, so that a killed run resumes. Cases without a verdict because of an error are asked
again, and so are new replies, whose earlier verdicts no longer count. The last of several judgements of a case counts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from pydantic import Field

from longtake.errors import ConfigError
from longtake.evalharness.items import ALL_TURNS, Criterion, Item, Judgement, Prediction, PredictionKey, Reply, Turn
from longtake.evalharness.runs.bounded_map import at_once
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.memory.records import Record, Usage

# A criterion of a rubric; whether what a penalty forbids was done; whether the reply says what the reference says;
# points from 0 to 5 for how well it does. Of stress tests: how clearly the replies about an altered video, or about an
# untouched one, say that it was altered; whether a reply recognises a blank video; whether it tells only what a gap
# left; whether it says something. Each is a prompt of its name.
Asks = Literal["criterion", "penalty", "whole", "grade", "altered", "untouched", "blank", "gap", "says"]
# The scores from 0 to 1 that meet a criterion: as in REVEAL, a vague alarm is one, rightly or not; nothing else is half
# right.
SCORED: Mapping[Asks, Callable[[float], bool]] = {
    "altered": lambda score: score > 0,
    "untouched": lambda score: score == 0,
    "blank": lambda score: score == 1,
    "gap": lambda score: score == 1,
}
MAX_POINTS = 5
NO_REPLY = "There is no reply."  # the reason for a verdict without a judge
PASS_POINTS = 3  # of 5: a reply with this many counts as right, as in the released code of Video-TT
_Key = tuple[PredictionKey, int, str]


@dataclass(frozen=True, slots=True)
class Case:
    """One decision about one reply."""

    item: Item
    number: int  # of the turn, from 0; `ALL_TURNS` (-1) has the criteria of the last one
    reply: Reply
    asks: Asks
    criterion: Criterion | None = None  # None if the reply is judged as a whole
    with_question: bool = False  # whether a model judge also sees the question
    all_replies: tuple[Reply, ...] = ()  # one for each turn, if they are judged together: `reply` is all of them as one

    @property
    def exchange(self) -> list[tuple[Turn, str]]:
        """The questions that are judged together, each with its reply."""
        return [(turn, reply.spoken) for turn, reply in zip(self.item.turns, self.all_replies, strict=True)]

    @property
    def free(self) -> bool:
        """Whether the reply is in words of its own, so that rules can only guess what it means."""
        if self.asks in SCORED or self.asks == "says":
            return True
        return self.item.format != "choice" and (self.criterion is None or self.criterion.check is None)

    @property
    def turn(self) -> Turn:
        """The question and its reference answer."""
        return self.item.turns[self.number]

    @property
    def said(self) -> str:
        """The reply without the model's thinking."""
        return self.reply.spoken

    @property
    def reference(self) -> str:
        """The right answer in words: the reference, or the right option without one."""
        turn = self.turn
        return turn.reference or (turn.options[turn.gold] if turn.gold is not None and turn.options else "")

    @property
    def name(self) -> str:
        """Name of the criterion; empty if the reply is judged as a whole."""
        return self.criterion.name if self.criterion else ""

    @property
    def description(self) -> str:
        """The description of the criterion; for a reply as a whole, its reference."""
        return self.criterion.description if self.criterion else self.reference

    @property
    def empty(self) -> bool:
        """Whether the reply is empty, so that no judge is needed."""
        return self.reply.status != "ok" or not self.said


class Finding(Record):
    """A judge's finding. For a penalty, `met` means that the reply avoided what it forbids."""

    met: bool | None
    sure: bool = True
    points: float | None = None  # 0 to 5, or 0 to 1 where that is the scale
    reason: str = ""
    error: str | None = None
    cached: bool = False
    seconds: float | None = None  # seconds that a model took, if one was asked
    usage: Usage | None = None  # what it took of tokens and money


class Judge(Protocol):
    """Something that decides cases."""

    id: str  # its model and a hash of its prompts and parameters
    at_once: int  # number of cases it may decide concurrently

    def judge(self, case: Case) -> Finding:
        """Decide one case that isn't empty. A judge that can't decide says why in `error`."""
        ...


@runtime_checkable
class JudgeSaysCost(Judge, Protocol):
    """A judge that can predict its cost. Other judges ask no model."""

    def expected(self, case: Case) -> Usage:
        """The expected cost of one case that isn't empty, without asking. Only a finished reply tells its time."""
        ...


def nothing_said(case: Case) -> Finding:
    """The finding for an empty reply: it meets no criterion and violates no penalty."""
    if case.asks == "grade" or case.asks in SCORED:
        return Finding(met=case.asks == "untouched", points=0.0, reason=NO_REPLY)
    return Finding(met=case.asks == "penalty", reason=NO_REPLY)


def reply_hash(reply: Reply) -> str:
    """Twelve hex digits of a reply."""
    kept = reply.model_dump_json(include={"text", "status", "choice", "abstained", "calls", "cited"})
    kept += "uncertain" * reply.uncertain  # other replies keep their old hashes
    return hashlib.blake2b(kept.encode(), digest_size=6).hexdigest()


CasesOf = Callable[[Item, Prediction], Iterable[Case]]
_UNSAID = reply_hash(Reply(text=""))


class JudgedRun(Record):
    """The outcome of judging a run."""

    judged: int = Field(description="Cases that the judge received now.")
    kept: int = Field(description="Cases that it had decided before.")
    unjudged: int = Field(description="Of those that it received now, cases without a verdict.")


class _CaseRow(NamedTuple):
    """A case and its prediction."""

    case: Case
    prediction: Prediction

    @property
    def key(self) -> _Key:
        """The key of the case in the run."""
        return self.prediction.key, self.case.number, self.case.name


def cases(item: Item, prediction: Prediction, *, whole: Asks = "whole", with_question: bool = False) -> Iterator[Case]:
    """The decisions for a prediction: each criterion of each turn, and open turns without criteria as a whole.

    A missing reply counts as empty. `whole` says how open turns are judged, and `with_question` whether a model judge
    also sees the question.
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

    Judges without any verdict, for example because their model was down, are skipped. One is named by its id, or how
    that begins; without a name it is the only one.

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
) -> JudgedRun:
    """Judge all undecided cases. If a judge is down, the run records errors and continues.

    With a limit, only what was said to this many items is judged, the first of those with something to judge. `notify`
    is called for cases without a verdict, predictions without an item and skipped lines; `advance` with the number of
    cases judged and of all to be judged.

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
    return JudgedRun(judged=judged, kept=len(done), unjudged=unjudged)


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
) -> Iterator[_CaseRow]:
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
                yield _CaseRow(case, prediction)


def _judge(judge: Judge, row: _CaseRow) -> Judgement:
    finding = nothing_said(row.case) if row.case.empty else judge.judge(row.case)
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
