"""The scores of a run down to its items: what reports, comparisons and exports are made of.

The score of an item is the overall score of a run that would hold this item alone, and that of a prediction the score
of a run that would hold nothing else; so every suite's own rules apply, and a missing verdict leaves it without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from longtake.evalharness.items import Item, Judgement, Prediction, PredictionKey, Variant
from longtake.evalharness.judges.judging import current
from longtake.evalharness.rubric_scores import Reading
from longtake.evalharness.run_folder import Loading, RunCard, RunFolder, Tell
from longtake.evalharness.score_table import ScoreTable, score_table, scored_subjects
from longtake.evalharness.subjects.subject import Asked
from longtake.evalharness.suites.table import Scored, Suite, reading_of, suite_named

Value = float | None  # 0 to 1; None without a verdict, or where it has no part in the headline


@dataclass(frozen=True)
class SubjectScores:
    """One subject of a run."""

    name: str
    card: RunCard
    table: ScoreTable
    items: Sequence[Item]
    predictions: Mapping[str, Sequence[Prediction]]  # by item
    judgements: Mapping[str, Sequence[Judgement]]  # by item
    values: Mapping[str, Value]  # by item
    prediction_values: Mapping[PredictionKey, Value]

    @property
    def judge(self) -> str | None:
        """The judge whose verdicts count; None where nothing was judged."""
        return next((found.judge for held in self.judgements.values() for found in held), None)

    def verdicts(self, prediction: Prediction, turn: int) -> dict[str, Judgement]:
        """What was last found of a reply, by the names of its criteria."""
        held = current(self.judgements.get(prediction.item, ()), [prediction])
        return {found.criterion: found for found in held if (found.key, found.turn) == (prediction.key, turn)}


@dataclass(frozen=True)
class RunScores:
    """A run with the scores of its subjects."""

    card: RunCard
    items: Sequence[Item]
    subjects: tuple[SubjectScores, ...]
    loading: Loading

    def asked(self, item: Item, prediction: Prediction) -> list[Asked]:
        """The turns of an item as a prediction was asked them, its options in the order put; without the history."""
        variant = next(one for one in self.card.variants if one.name == prediction.variant)
        return [Asked(item, number, variant, prediction.seed, ()) for number in range(len(item.turns))]


def read_scores(folder: RunFolder, reading: str | None, tell: Tell, judge: str | None = None) -> RunScores:
    """Score a run and every item of it.

    Args:
        folder: of the run.
        reading: repo, paper, signed or strict; None: that of the run's protocol.
        tell: told of lines that were left out.
        judge: whose verdicts count, where there are those of several.

    Raises:
        ConfigError: when the folder holds no run, nothing was predicted, the suite has no such reading, or it is not
            clear which judge is meant.
    """
    card = folder.card()
    suite = suite_named(card.suite)
    chosen = reading_of(card, reading)
    held = scored_subjects(folder, tell, judge)
    items = next(iter(held.values())).items
    subjects = tuple(_subject(card, name, suite, one, chosen) for name, one in held.items())
    return RunScores(card, items, subjects, folder.loading())


def _subject(card: RunCard, name: str, suite: Suite, scored: Scored, reading: Reading) -> SubjectScores:
    values: dict[str, Value] = {}
    each: dict[PredictionKey, Value] = {}
    for item in scored.items:
        said, found = scored.said.get(item.id, ()), scored.found.get(item.id, ())
        values[item.id] = _value(suite, _of_item(item, scored.variants, said, found), reading)
        only = len(said) == len(scored.variants) == 1
        for prediction in said:
            each[prediction.key] = (
                values[item.id] if only else _value(suite, _alone(item, scored, prediction, found), reading)
            )
    table = score_table(card.suite, name, reading, suite.score(scored, reading))
    return SubjectScores(name, card, table, scored.items, scored.said, scored.found, values, each)


def _alone(item: Item, scored: Scored, prediction: Prediction, found: Iterable[Judgement]) -> Scored:
    """One prediction as if nothing else had been asked."""
    base = scored.variants[0]
    own = [one for one in found if (one.variant, one.seed) == (prediction.variant, prediction.seed)]
    renamed = {"variant": base.name}
    judged = [one.model_copy(update=renamed) for one in own]
    return _of_item(item, (base,), [prediction.model_copy(update=renamed)], judged)


def _of_item(item: Item, variants: Sequence[Variant], said: Sequence[Prediction], found: Sequence[Judgement]) -> Scored:
    """One item as if no other had been asked."""
    return Scored([item], variants, {item.id: said}, {item.id: found})


def _value(suite: Suite, scored: Scored, reading: Reading) -> Value:
    table = score_table("", "", reading, suite.score(scored, reading))
    if table.headline is None or table.overall.value is None:
        return None
    return table.overall.value / 100
