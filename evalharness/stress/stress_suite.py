"""The suite of stress tests: a folder with videos and `items.jsonl`, and the scores of each test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longtake.errors import ConfigError, did_you_mean
from longtake.evalharness.items import ALL_TURNS, ORIGINAL, Item, Judgement, Prediction, PredictionKey, Reply, Variant
from longtake.evalharness.judges.judging import Asks, Case, current
from longtake.evalharness.runs.journal import read_records, write_file
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choice_scores import (
    MAX_UNJUDGED,
    ChoiceOutcome,
    ChoiceScores,
    CountedShare,
    SubjectAnswers,
    by_tag,
    choice_outcome,
    choice_state,
    open_outcome,
    summarise,
)
from longtake.evalharness.scoring.estimates import Estimate, Rows
from longtake.evalharness.stress.action_tests import GapTest, ShortcutsTest
from longtake.evalharness.stress.criteria import USUAL
from longtake.evalharness.stress.hiding_tests import MosaicTest, OcclusionTest
from longtake.evalharness.stress.material import Material
from longtake.evalharness.stress.motion_tests import Camera3DTest, CameraTest, LaneChangeTest
from longtake.evalharness.stress.noticing_tests import AnomaliesTest, SycophancyTest
from longtake.evalharness.stress.stress_test import Bench, StressTest, settings_of
from longtake.memory.records import Record
from longtake.plugins import Table, subclass_of

ITEMS = "items.jsonl"
ALL = "all"
NO_HEADLINE = "There is no overall score: each stress test has its own headline."
# What a judge is asked about the criteria of a stress test, by their names.
_ASKS: Mapping[str, Asks] = {
    "reads": "criterion",
    "altered": "altered",
    "untouched": "untouched",
    "blank": "blank",
    "gap": "gap",
    "claim": "says",
    "shown": "says",
    USUAL: "says",
}


_BUILT_IN: Mapping[str, type[StressTest]] = {
    test.name: test
    for test in (
        SycophancyTest,
        ShortcutsTest,
        AnomaliesTest,
        GapTest,
        OcclusionTest,
        MosaicTest,
        CameraTest,
        Camera3DTest,
        LaneChangeTest,
    )
}
STRESS_TESTS: Table[type[StressTest]] = Table("stress", _BUILT_IN, subclass_of(StressTest))


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


def check_parameters(tests: Sequence[str], names: Iterable[str]) -> None:
    """Check that each parameter is one of a test's.

    Raises:
        ConfigError: if one is of none.
    """
    known = dict.fromkeys(name for test in tests for name in STRESS_TESTS[test].parameters)
    for name in names:
        if name not in known:
            taken = f"{'these tests take' if len(tests) > 1 else f'{tests[0]} takes'} {', '.join(known) or 'none'}"
            raise ConfigError(f"There is no parameter {name!r} here: {taken}.")


def make_set(
    name: str,
    material: Material,
    folder: Path,
    n: int,
    seed: int,
    notify: Notify,
    check: Callable[[], None],
    parameters: Mapping[str, Sequence[Any]] = {},
) -> MadeSet:
    """Make the videos and items of a test, or of all that the material has tables for.

    Of each test there are `n` videos at most. A parameter has one value or, to make the items with each, several.

    Raises:
        ConfigError: if there is no such test or parameter, a value is wrong, or nothing can be made of the material.
        LongtakeError: if a video can't be written.
    """
    tests = [STRESS_TESTS[each]() for each in tests_named(name)]
    check_parameters([test.name for test in tests], parameters)
    settings = {test.name: settings_of(test, parameters) for test in tests}
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(folder, material, n, seed, notify, check)
    made: list[Item] = []
    for test in tests:
        made += test.make(replace(bench, settings=settings[test.name]))
    if not made:
        raise ConfigError(
            f"{material.folder} has no table for {name}, or no video that fits it: add actions.csv, claims.csv, "
            "questions.csv or lanes.csv, or longer videos."
        )
    write_file(folder / ITEMS, "".join(item.model_dump_json() + "\n" for item in made))
    counts = Counter(item.task for item in made)
    return MadeSet(items=str(folder / ITEMS), tests=counts)


def stress_cases(item: Item, prediction: Prediction) -> Iterator[Case]:
    """The decisions about a prediction; replies about one video and change are judged together.

    Of a choice, only a reply in which no option was read is judged.
    """
    if item.separate:
        replies = tuple(reply for _, _, reply in prediction.turns_of(item))
        for criterion in item.turns[-1].criteria:
            yield Case(item, ALL_TURNS, prediction.together, _ASKS[criterion.name], criterion, all_replies=replies)
        return
    for number, turn, reply in prediction.turns_of(item):
        if item.format == "choice" and choice_state(reply) != "unread":
            continue
        for criterion in turn.criteria:
            yield Case(item, number, reply, _ASKS.get(criterion.name, "criterion"), criterion)


def asks_for_words(items: Path) -> bool:
    """Whether a made set has a question whose replies are in words of their own."""
    unsaid = (Reply(text=""),)
    return any(
        case.free
        for item in read_records(items, Item, lambda sentence: None)
        if item.format == "open"
        for case in stress_cases(
            item, Prediction(item=item.id, variant=ORIGINAL, subject="", replies=unsaid, seconds=0)
        )
    )


def score_stress(
    items: Collection[Item],
    variants: Sequence[Variant],
    predictions: Iterable[Prediction],
    judgements: Iterable[Judgement],
) -> ChoiceScores:
    """Score one subject: the tables and the headline of each test. Tests measure different things, and have no mean."""
    outcomes = list(_outcomes(items, variants[0], list(predictions), judgements))
    groups: dict[str, Rows] = {}
    headlines: dict[str, Estimate] = {}
    counts: dict[str, CountedShare] = {}
    withheld: list[str] = []
    for name in dict.fromkeys(outcome.item.task for outcome in outcomes):
        test, own = STRESS_TESTS[name](), [one for one in outcomes if one.item.task == name]
        tables = {**test.tables(own), **{tag: by_tag(own, tag) for tag in test.parameters}}
        groups |= {f"{name}: {table}" if table else name: rows for table, rows in tables.items() if rows}
        counts |= {f"{name}, {what}": count for what, count in test.counts(own).items()}
        judged = [one for one in own if one.left_to_judge or one.chance is None]
        if sum(one.state == "unjudged" for one in judged) > MAX_UNJUDGED * len(judged):
            withheld.append(name)
        else:
            headlines[name] = test.headline(own)
    missing = f"too many verdicts are missing for one of {', '.join(withheld)}." if withheld else ""
    note = f"{NO_HEADLINE} {missing.capitalize()}".strip() if headlines else missing
    scores = summarise(outcomes, groups, note=note)
    return scores.model_copy(update={"headline": None, "headlines": headlines, "counts": counts})


def _outcomes(
    items: Collection[Item], variant: Variant, predictions: Sequence[Prediction], judgements: Iterable[Judgement]
) -> Iterator[ChoiceOutcome]:
    """The outcome of each item and seed, of several replies as one."""
    found = list(current(judgements, predictions))
    usual = {one.key for one in found if one.criterion == USUAL and one.met}
    together = [one.model_copy(update={"replies": (one.together,)}) for one in predictions]
    answers = SubjectAnswers(together, [one for one in found if one.criterion != USUAL])
    subject = predictions[0].subject if predictions else ""
    for seed in answers.seeds:
        for item in items:
            said = answers.said(item, variant, seed)
            outcome = open_outcome(item, variant, answers, seed)
            if item.format == "choice":
                judged, outcome = outcome, choice_outcome(item, (variant,), answers, seed)
                if outcome.state == "unread" and item.turns[0].criteria:
                    outcome = judged._replace(chance=outcome.chance, left_to_judge=True)
            if said is None:
                yield outcome
                continue
            if outcome.state == "uncertain" and item.tags.get("role") == "untouched":
                outcome = outcome._replace(right=float(bool(said.met)))  # who isn't sure raises no alarm
            key = PredictionKey(item.id, variant.name, subject, seed)
            meant = USUAL if key in usual else STRESS_TESTS[item.task]().meant(item, said)
            yield outcome._replace(meant=meant)
