"""The score tables of Video-TT: five accuracies, their mean, and robustness."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from longtake.evalharness.items import Heading, Item, Judgement, Prediction, Variant
from longtake.evalharness.scoring.choice_scores import (
    Answers,
    ChoiceScores,
    Outcome,
    Said,
    accuracy,
    beside_chance,
    by,
    choice_outcome,
    observation,
    open_outcome,
    summarise,
)
from longtake.evalharness.scoring.estimates import Estimate, Observation, macro, ratio
from longtake.evalharness.suites.video_tt import (
    CHOICE,
    PRIMARY,
    THRESHOLDS,
    WAYS,
    Threshold,
    level_of,
    video_tt_variants,
)

Ways = Mapping[str, list[Outcome]]


def score_video_tt(
    items: Collection[Item],
    predictions: Iterable[Prediction],
    judgements: Iterable[Judgement],
    threshold: Threshold,
) -> ChoiceScores:
    """Score one subject; the headline is the plain mean of the five accuracies, where all five ways were asked.

    Args:
        items: all items to be asked.
        predictions: of the subject.
        judgements: of one judge, with points.
        threshold: from how many points an open answer is right; the mean and the robustness score stand next to it for
            both readings of the paper.
    """
    (variant,) = video_tt_variants()
    answers = Answers(predictions, judgements)
    outcomes = _outcomes(items, variant, answers, threshold)
    ways = _by_way(outcomes)
    read = {str(other): _by_way(_outcomes(items, variant, answers, other)) for other in THRESHOLDS.values()}
    lacking = [way for way in WAYS if way not in ways]
    capabilities = {f"capability, {way}": by(found, lambda item: item.task) for way, found in ways.items()}
    return summarise(
        outcomes,
        {
            "way": {way: accuracy(found) for way, found in ways.items()},
            "robustness": {"RB": robustness(ways)},
            "points, mean of five": {name: _mean_of_five(found) for name, found in read.items()},
            "points, RB": {name: robustness(found) for name, found in read.items()},
            "multiple choice": beside_chance(ways.get(CHOICE, ())),
            "level": by(outcomes, _level),
            "level, RB": robustness_by(outcomes, _level),
            "capability": by(outcomes, lambda item: item.task),
            "capability, RB": robustness_by(outcomes, lambda item: item.task),
            **capabilities,
        },
        headline=lambda found: _mean_of_five(_by_way(found)),
        note=f"it is a mean of five, and no question is {', '.join(lacking)}." if lacking else None,
    )


def robustness(ways: Ways) -> Estimate:
    """RB: of the questions that are answered rightly in the primary way, the share with all five right.

    Questions that lack one of the five have no part in it; None if no primary one is answered rightly.
    """
    right: dict[tuple[str, str, int], dict[str, float]] = {}
    for way, outcomes in ways.items():
        for outcome in outcomes:
            item = outcome.item
            right.setdefault((item.video, item.tags.get("question", ""), outcome.seed), {})[way] = outcome.right
    whole = [(video, found) for (video, _, _), found in right.items() if len(found) == len(WAYS)]
    return ratio(Observation(float(all(found.values())), float(found[PRIMARY]), video) for video, found in whole)


def robustness_by(outcomes: Iterable[Outcome], key: Callable[[Heading], str]) -> dict[str, Estimate]:
    """RB of each group of questions, in the order of first appearance; questions without a key are in none."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if name := key(outcome.item):
            groups.setdefault(name, []).append(outcome)
    return {name: robustness(_by_way(group)) for name, group in groups.items()}


def _level(item: Heading) -> str:
    return level_of(item.task)


def _mean_of_five(ways: Ways) -> Estimate:
    """Without a value where one of the five is missing: the mean of the others would be another figure."""
    return macro([[list(map(observation, found))] for found in ways.values()] if len(ways) == len(WAYS) else [])


def _by_way(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    ways: dict[str, list[Outcome]] = {way: [] for way in WAYS}
    for outcome in outcomes:
        ways[outcome.item.tags["way"]].append(outcome)
    return {way: found for way, found in ways.items() if found}


def _outcomes(items: Collection[Item], variant: Variant, answers: Answers, threshold: Threshold) -> list[Outcome]:
    def accepts(said: Said) -> bool | None:
        return None if said.points is None else threshold.passed(said.points)

    return [
        choice_outcome(item, [variant], answers, seed)
        if item.format == "choice"
        else open_outcome(item, variant, answers, seed, accepts)
        for seed in answers.seeds
        for item in items
    ]
