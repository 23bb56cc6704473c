"""The tables of Video-TT, LongShOTBench and REVEAL, worked out from their parts: what follows, and what does not.

Where a figure does not follow, the one that does stands here, so that it is wrong for no other reason than the known.
"""

from __future__ import annotations

from decimal import Decimal

import pytest
from helpers.data.published import (
    CASE,
    TABLES,
    Interval,
    Row,
    agrees,
    at_ends,
    cases,
    column,
    counts,
    exactly,
    plain_mean,
    printed,
    share,
    weighted,
)

from longtake.evalharness.judges.judge_check import Agreement
from longtake.evalharness.scoring.estimates import Estimate, Observation, macro

SAID = {name: row["figure"] for name, row in TABLES["said"].items()}
FIVE = ["primary", "paraphrased", "correctly_led", "wrongly_led", "mcq"]
MODELS = list(TABLES["longshot_t3"]["Overall"])[2:]
MOTIONS = ["zoom_in", "zoom_out", "pan_left", "pan_right", "tilt_up", "tilt_down"]


@pytest.mark.parametrize(CASE, cases("video_tt_t1", "avg", {"Blind-Gemini": "10.10", "Gemini-Pro": "36.04"}))
def test_an_average_is_the_mean_of_the_five_kinds(row: Row, holds: bool, gives: str) -> None:
    found = at_ends(plain_mean, [row[kind] for kind in FIVE])
    assert agrees(row["avg"], found) is holds
    assert agrees(gives, found)


@pytest.mark.parametrize(CASE, cases("video_tt_t1", "rb"))
def test_robustness_lies_between_its_bounds(row: Row, holds: bool, gives: str) -> None:
    # All five right is at most the rarest right, and at least what is left when no two wrong ones fall together.
    ends = [printed(row[kind]) for kind in FIVE]
    most = min(Decimal(1), min(end.high for end in ends) / ends[0].low)
    least = max(Decimal(0), (sum(end.low for end in ends) - 400) / ends[0].high)
    assert agrees(gives, Interval(100 * least, 100 * most)) is holds


@pytest.mark.parametrize(
    CASE,
    cases(
        "video_tt_t1",
        "rb",
        dict.fromkeys(["Blind-Gemini", "LLaVA-Video-7B", "InternVL-2.5-8B", "InternVL-2.5-38B", "GPT-4o"], "none"),
    ),
)
def test_robustness_is_a_count_of_the_primary_questions_right_of_a_thousand(row: Row, holds: bool, gives: str) -> None:
    assert bool(counts(row["rb"], int(10 * Decimal(row["primary"])))) is holds
    assert gives == (row["rb"] if holds else "none")


def test_the_lead_in_robustness_is_that_of_the_text_and_the_humans_are_not() -> None:
    rows = TABLES["video_tt_t1"]
    assert agrees(
        SAID["Video-TT lead in robustness"], printed(rows["GPT-4o"]["rb"]) - printed(rows["Qwen2.5-VL-72B"]["rb"])
    )
    right = int(10 * Decimal(rows["Human"]["primary"]))
    assert (counts(SAID["Video-TT robustness of humans"], right), counts(rows["Human"]["rb"], right)) == ([542], [543])


@pytest.mark.parametrize(CASE, cases("video_tt_hours", "hours", {"Video collection": "476.32"}, but=["Total"]))
def test_hours_are_those_of_each_datum(row: Row, holds: bool, gives: str) -> None:
    each = printed(row["each"])
    often = int(row["data"]) * int(row["people"])
    assert agrees(row["hours"], Interval(often * each.low, often * each.high)) is holds
    assert Decimal(gives) == often * Decimal(row["each"])


def test_the_hours_add_up_to_less_than_the_total() -> None:
    hours = sum(Decimal(figure) for figure in column("video_tt_hours", "hours"))
    assert (hours, TABLES["video_tt_hours"]["Total"]["hours"]) == (Decimal("6911.17"), "8227.32")


# LongShOTBench

TASK_ROWS = [row for row in TABLES["longshot_t3"].values() if "average" not in row["name"] and row["name"] != "Overall"]
LONGSHOT_CATEGORIES = list(dict.fromkeys(row["category"] for row in TASK_ROWS))


def of_categories(values: list[float], members: int) -> Estimate:
    """The mean over categories of the means of so many members each."""
    tasks = [[Observation(value, 100.0, str(place))] for place, value in enumerate(values)]
    return macro([tasks[start : start + members] for start in range(0, len(tasks), members)])


@pytest.mark.parametrize("category", LONGSHOT_CATEGORIES)
@pytest.mark.parametrize("model", MODELS)
def test_a_category_is_the_mean_of_its_tasks(category: str, model: str) -> None:
    tasks = [row[model] for row in TASK_ROWS if row["category"] == category]
    found = at_ends(lambda values: of_categories(values, 4), tasks)
    published = TABLES["longshot_t3"][f"{category} average"][model]
    holds = (category, model) != ("Mult", "LLaVA-NV")
    assert len(tasks) == 4
    assert agrees(published, found) is holds
    assert agrees(published if holds else "21.15", found)


@pytest.mark.parametrize("model", MODELS)
def test_an_overall_score_is_the_mean_of_its_categories(model: str) -> None:
    averages = [TABLES["longshot_t3"][f"{category} average"][model] for category in LONGSHOT_CATEGORIES]
    found = at_ends(lambda values: of_categories(values, 1), averages)
    published = TABLES["longshot_t3"]["Overall"][model]
    gives = {"LLaVA-NV": "11.93", "Qwen-VL": "18.31"}
    assert agrees(published, found) is (model not in gives)
    assert agrees(gives.get(model, published), found)


@pytest.mark.parametrize("model", MODELS)
def test_an_overall_score_is_the_macro_mean_of_its_tasks(model: str) -> None:
    found = at_ends(lambda values: of_categories(values, 4), [row[model] for row in TASK_ROWS])
    published = TABLES["longshot_t3"]["Overall"][model]
    gives = {"Qwen-VL": "18.31"}
    assert agrees(published, found) is (model not in gives)
    assert agrees(gives.get(model, published), found)


# REVEAL


def kinds(row: Row) -> list[str]:
    return [figure for name, figure in row.items() if name not in ("name", "overall")]


@pytest.mark.parametrize(CASE, cases("reveal_t2", "overall", {"LLaVA-NeXT-Video-7B": "25.45"}))
def test_an_overall_rejection_is_the_mean_of_four_kinds(row: Row, holds: bool, gives: str) -> None:
    found = at_ends(plain_mean, kinds(row))
    assert agrees(row["overall"], found) is holds
    assert agrees(gives, found)


@pytest.mark.parametrize(CASE, cases("reveal_t8", "overall", {"LLaVA-NeXT-Video-7B": "25.45"}))
def test_a_second_print_of_it_is_too(row: Row, holds: bool, gives: str) -> None:
    found = at_ends(plain_mean, kinds(TABLES["reveal_t2"][row["name"]]))
    assert agrees(row["overall"], found) is holds
    assert agrees(gives, found)


@pytest.mark.parametrize(CASE, cases("reveal_t3", "overall", {"Qwen2.5-VL-7B": "9.45"}))
def test_an_overall_accuracy_is_weighted_by_80_spatial_and_108_temporal_clips(
    row: Row, holds: bool, gives: str
) -> None:
    found = weighted([row["spatial"], row["temporal"]], ["80", "108"])
    assert agrees(row["overall"], found) is holds
    assert agrees(gives, found)


@pytest.mark.parametrize(CASE, cases("reveal_t3", "overall", {"Qwen2.5-VL-7B": "none", "Humans": "none"}))
def test_the_clips_judged_right_add_up_to_the_overall_accuracy(row: Row, holds: bool, gives: str) -> None:
    parts, whole = (counts(row["spatial"], 80), counts(row["temporal"], 108)), counts(row["overall"], 188)
    assert (all(parts) and sum(ks[0] for ks in parts) in whole) is holds
    assert gives == (row["overall"] if holds else "none")


def test_one_overall_accuracy_is_the_plain_mean_instead() -> None:
    row = TABLES["reveal_t3"]["Qwen2.5-VL-7B"]
    assert agrees(row["overall"], at_ends(plain_mean, [row["spatial"], row["temporal"]]))


@pytest.mark.parametrize(CASE, cases("reveal_t7_camera", "avg", {"Gemini 2.5 Pro": "24.33", "GPT-5-nano": "13.67"}))
def test_an_average_of_motions_is_the_share_of_300_clips(row: Row, holds: bool, gives: str) -> None:
    right = [int(row[motion]) // 2 for motion in MOTIONS]
    assert [str(2 * k) for k in right] == [row[motion] for motion in MOTIONS]  # of 50 clips each
    assert agrees(row["avg"], share(sum(right), 300)) is holds
    assert agrees(gives, share(sum(right), 300))


@pytest.mark.parametrize(CASE, cases("reveal_t7_lane", "f1", {"Qwen2.5-VL-32B": "14.18", "Qwen2.5-VL-7B": "20.98"}))
def test_f1_of_lane_changes_follows_from_200_clips(row: Row, holds: bool, gives: str) -> None:
    tp, fn, right = int(row["tp"]), int(row["fn"]), counts(row["accuracy"], 200)
    negatives = 200 - tp - fn
    assert (tp + fn, negatives) == (118, 82)
    # Printed to a whole percent, 100 leaves room for 199 of 200; what was meant is all.
    matrix = Agreement(
        true_positive=tp, false_negative=fn, true_negative=right[-1] - tp, false_positive=negatives - right[-1] + tp
    )
    assert matrix.accuracy is not None
    assert matrix.f1 is not None
    assert agrees(row["accuracy"], exactly(100 * matrix.accuracy))
    assert agrees(row["f1"], exactly(100 * matrix.f1)) is holds
    assert agrees(gives, exactly(100 * matrix.f1))


@pytest.mark.parametrize(CASE, cases("reveal_t6", "tbsr", {"NextQA-S Gemini 2.5 Pro with abstention": "20"}))
def test_tbsr_lies_between_its_bounds(row: Row, holds: bool, gives: str) -> None:
    raw, occluded = printed(row["raw"]), printed(row["occluded"])
    most = min(Decimal(1), occluded.high / raw.low)
    least = max(Decimal(0), (raw.low + occluded.low - 100) / raw.high)
    bounds = Interval(100 * least, 100 * most)
    assert agrees(row["tbsr"], bounds) is holds
    assert agrees(gives, bounds)


def test_the_text_is_kinder_than_the_tables_of_camera_motion_and_of_mosaics() -> None:
    gemini = [int(TABLES["reveal_t7_camera"]["Gemini 2.5 Pro"][motion]) for motion in MOTIONS]
    assert (min(gemini), max(gemini)) == (22, 26)
    assert min(gemini) > int(SAID["REVEAL camera motion at most"])
    assert int(TABLES["reveal_t12"]["Qwen2.5-VL-32B"]["score"]) >= int(SAID["REVEAL mosaics of open models below"])
