"""Scores a run down to its items, for reports, comparisons and exports.

The score of an item is the overall score of a run with only this item, and the score of a prediction that of a run
with nothing else. So every suite's rules apply, and there is no score without a verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from sys import intern

from longtake.evalharness.items import ALL_TURNS, Item, Judgement, Prediction, PredictionKey, Variant
from longtake.evalharness.judges.judging import current
from longtake.evalharness.runs.run_folder import Loading, Notify, RunCard, RunFolder
from longtake.evalharness.scoring.choice_scores import MAX_UNJUDGED, NONE
from longtake.evalharness.scoring.rubric_scores import Reading
from longtake.evalharness.scoring.score_table import ScoredRun, ScoreTable, score_table, scored_run, subject_score
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.suites.suite_table import Scored, Suite

Value = float | None  # 0 to 1; None without a verdict, or if it doesn't count in the headline


@dataclass(frozen=True)
class SubjectScores:
    """One subject of a run."""

    name: str
    card: RunCard
    table: ScoreTable
    items: Mapping[str, Item]  # that were put to it, by id; read each time they are asked for
    unasked: Collection[str]  # items that were not yet, or not in every way; they have no value
    videos: Mapping[str, str]  # of the items that were put to it, by item
    predictions: Mapping[str, Sequence[Prediction]]  # by item
    judgements: Mapping[str, Sequence[Judgement]]  # by item
    values: Mapping[str, Value]  # by item
    prediction_values: Mapping[PredictionKey, Value]

    @property
    def judge(self) -> str | None:
        """The judge whose verdicts count; None if nothing was judged."""
        return next((found.judge for held in self.judgements.values() for found in held), None)

    def verdicts(self, prediction: Prediction, turn: int) -> dict[str, Judgement]:
        """What was last found of a reply, by the names of its criteria; with the last one, of all replies together."""
        held = current(self.judgements.get(prediction.item, ()), [prediction])
        turns = (turn, ALL_TURNS) if turn == len(prediction.replies) - 1 else (turn,)
        return {found.criterion: found for found in held if found.key == prediction.key and found.turn in turns}


@dataclass(frozen=True)
class RunScores:
    """A run with the scores of its subjects."""

    card: RunCard
    items: Collection[Item]
    subjects: tuple[SubjectScores, ...]
    loading: Loading

    def asked(self, item: Item, prediction: Prediction) -> list[AskedTurn]:
        """The turns of an item as a prediction was asked them, its options in the order put; without the history."""
        variant = self.variant_of(prediction)
        return [AskedTurn(item, number, variant, prediction.seed, ()) for number in range(len(item.turns))]

    def variant_of(self, prediction: Prediction) -> Variant:
        """The way in which a prediction was asked."""
        return next(one for one in self.card.variants if one.name == prediction.variant)


def read_scores(folder: RunFolder, reading: str | None, notify: Notify, judge: str | None = None) -> RunScores:
    """Score a run and every item of it; see `scored_run`."""
    run = scored_run(folder, reading, notify, judge)
    subjects = tuple(_subject(run, name) for name in run.subjects)
    return RunScores(run.card, run.items.values(), subjects, folder.loading())


def _subject(run: ScoredRun, name: str) -> SubjectScores:
    suite, reading, scored = run.suite, run.reading, run.subjects[name]
    waiting = {item.id for item in scored.unasked}
    values: dict[str, Value] = dict.fromkeys(waiting)
    videos: dict[str, str] = {}
    each: dict[PredictionKey, Value] = {}
    for item in run.items.values():
        said, found = scored.said.get(item.id, ()), scored.found.get(item.id, ())
        if item.id not in waiting:
            videos[item.id] = intern(item.video)
            values[item.id] = _value(suite, _of_item(item, scored.variants, said, found), reading)
        only = item.id not in waiting and len(said) == len(scored.variants) == 1
        for prediction in said:
            each[prediction.key] = (
                values[item.id] if only else _value(suite, _alone(item, scored, prediction, found), reading)
            )
    return SubjectScores(
        name=name,
        card=run.card,
        table=subject_score(run, name).table,
        items=run.items.only(lambda item: item not in waiting) if waiting else run.items,
        unasked=waiting,
        videos=videos,
        predictions=scored.said,
        judgements=scored.found,
        values=values,
        prediction_values=each,
    )


def _alone(item: Item, scored: Scored, prediction: Prediction, found: Iterable[Judgement]) -> Scored:
    """One prediction as if nothing else had been asked."""
    renamed = {"variant": scored.variants[0].name}
    own = [one for one in found if (one.variant, one.seed) == (prediction.variant, prediction.seed)]
    judged = [one.model_copy(update=renamed) for one in own]
    return _of_item(item, scored.variants[:1], [prediction.model_copy(update=renamed)], judged)


def _of_item(item: Item, variants: Sequence[Variant], said: Sequence[Prediction], found: Sequence[Judgement]) -> Scored:
    """One item as if no other had been asked."""
    return Scored([item], variants, {item.id: said}, {item.id: found})


def _value(suite: Suite, scored: Scored, reading: Reading) -> Value:
    table = score_table("", "", reading, suite.score(scored, reading))
    if table.rates.get("unjudged", NONE).value > MAX_UNJUDGED or table.overall.value is None:
        return None
    return table.overall.value / 100
