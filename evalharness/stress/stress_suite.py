"""The suite of stress tests: a folder with videos and `items.jsonl`, and the scores of each test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from longtake.errors import ConfigError, did_you_mean
from longtake.evalharness.items import Item, Judgement, Prediction, Variant
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choice_scores import (
    Answers,
    ChoiceScores,
    Outcome,
    choice_outcome,
    open_outcome,
    summarise,
)
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.stress.anomalies import Anomalies
from longtake.evalharness.stress.camera import Camera, Camera3D
from longtake.evalharness.stress.gap import Gap
from longtake.evalharness.stress.lane_change import LaneChange
from longtake.evalharness.stress.material import Material
from longtake.evalharness.stress.mosaic import Mosaic
from longtake.evalharness.stress.occlusion import Occlusion
from longtake.evalharness.stress.shortcuts import Shortcuts
from longtake.evalharness.stress.stress_test import Bench, StressTest
from longtake.evalharness.stress.sycophancy import Sycophancy
from longtake.memory.layers import write_atomic
from longtake.memory.records import Record
from longtake.plugins import Table

ITEMS = "items.jsonl"
ALL = "all"


def _read(name: str, declared: object) -> type[StressTest]:
    """A test that a package declares."""
    if not (isinstance(declared, type) and issubclass(declared, StressTest)):
        raise TypeError(f"{name} isn't a `StressTest`")
    return declared


_BUILT_IN: Mapping[str, type[StressTest]] = {
    test.name: test for test in (Sycophancy, Shortcuts, Anomalies, Gap, Occlusion, Mosaic, Camera, Camera3D, LaneChange)
}
STRESS_TESTS: Table[type[StressTest]] = Table("stress", _BUILT_IN, _read)


class MadeSet(Record):
    """The outcome of making a set."""

    items: str
    tests: Mapping[str, int]  # items of each


def tests_named(name: str) -> Sequence[str]:
    """The stress tests of a name, which may be `all`.

    Raises:
        ConfigError: if there is none.
    """
    if name != ALL and name not in STRESS_TESTS:
        raise ConfigError(f"There is no stress test {name!r}. {did_you_mean(name, (ALL, *STRESS_TESTS))}")
    return tuple(STRESS_TESTS) if name == ALL else (name,)


def make_set(
    name: str, material: Material, folder: Path, n: int, seed: int, notify: Notify, check: Callable[[], None]
) -> MadeSet:
    """Make the videos and items of a test, or of all that the material has tables for.

    Raises:
        ConfigError: if there is no such test, or nothing to make of the material.
        LongtakeError: if a video can't be written.
    """
    tests = tests_named(name)
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(folder, material, n, seed, notify, check)
    made: list[Item] = []
    for each in tests:
        made += STRESS_TESTS[each]().make(bench)
    if not made:
        raise ConfigError(
            f"{material.folder} has no table for {name}, or no video that fits it: add actions.csv, claims.csv, "
            "questions.csv or lanes.csv, or longer videos."
        )
    write_atomic(folder / ITEMS, "".join(item.model_dump_json() + "\n" for item in made))
    counts = Counter(item.task for item in made)
    return MadeSet(items=str(folder / ITEMS), tests=counts)


def score_stress(
    items: Collection[Item],
    variants: Sequence[Variant],
    predictions: Iterable[Prediction],
    judgements: Iterable[Judgement],
) -> ChoiceScores:
    """Score one subject: the tables of each test, and as the headline the mean over all items.

    Args:
        items: of the set.
        variants: of the run.
        predictions: of the subject.
        judgements: of one judge.
    """
    answers = Answers(predictions, judgements)
    outcomes = [_outcome(item, variants[0], answers, seed) for seed in answers.seeds for item in items]
    groups: dict[str, Rows] = {}
    for name in dict.fromkeys(outcome.item.task for outcome in outcomes):
        tables = STRESS_TESTS[name]().tables([one for one in outcomes if one.item.task == name])
        groups |= {f"{name}: {table}" if table else name: rows for table, rows in tables.items() if rows}
    return summarise(outcomes, groups)


def _outcome(item: Item, variant: Variant, answers: Answers, seed: int) -> Outcome:
    """The outcome of an item; where nothing can be told, only an abstention is right."""
    if item.format == "choice":
        return choice_outcome(item, (variant,), answers, seed)
    outcome = open_outcome(item, variant, answers, seed)
    said = answers.said(item, variant, seed)
    if item.tags.get("expects") == "abstention" and said is not None and said.uncertain:
        return outcome._replace(right=0.0)
    return outcome
