"""The tables of Moment-Video, worked out from their parts: which figures follow, and which do not.

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
    weighted,
)

from longtake.evalharness.judges.judge_check import Agreement

MOMENT_SIZES = {name: row["questions"] for name, row in TABLES["moment_n"].items()}
TASKS, DOMAINS = list(MOMENT_SIZES)[:4], list(MOMENT_SIZES)[4:]

BY_TASK = {"VITA-1.5 1fps": "11.64"}
BY_DOMAIN = {"VideoLLaMA3-7B 1fps": "11.73"}
BY_DOMAIN_AT_8_FPS = {"GLM-4.6V 8fps": "15.00", "GLM-4.6V-Flash 8fps": "11.38"}
# Cells that no count of their questions gives.
NO_COUNTS = {
    "VideoLLaMA3-7B 1fps": "TO TC AD TR GUI Nature Games Human",
    "VITA-1.5 1fps": "TC AD GUI",
    "GLM-4.6V-Flash 8fps": "GUI",
    "InternVL3.5-241B-A28B 8fps": "Games",
    "InternVL3.5-30B-A3B 8fps": "Industry",
}
KEYE_AT_1_FPS = "Keye-VL-1.5-8B 1fps"  # One of its cells is 14.37 in Table 2 and 14.40 in Table 10.
AT_1_FPS = {name: figures for name, figures in NO_COUNTS.items() if name in TABLES["moment_t2"]}
TOTALS_BY_DOMAIN = {"GLM-4.6V 8fps": "15.0"}


@pytest.mark.parametrize(
    CASE,
    cases("moment_t2", "overall", BY_TASK) + cases("moment_t10", "overall", BY_TASK) + cases("moment_t3", "overall"),
)
def test_an_overall_accuracy_is_weighted_by_task(row: Row, holds: bool, gives: str) -> None:
    found = weighted([row[task] for task in TASKS], [MOMENT_SIZES[task] for task in TASKS])
    assert agrees(row["overall"], found) is holds
    assert agrees(gives, found)


@pytest.mark.parametrize(
    CASE, cases("moment_t2", "overall", BY_DOMAIN) + cases("moment_t10", "overall", BY_DOMAIN | BY_DOMAIN_AT_8_FPS)
)
def test_an_overall_accuracy_is_weighted_by_domain(row: Row, holds: bool, gives: str) -> None:
    found = weighted([row[domain] for domain in DOMAINS], [MOMENT_SIZES[domain] for domain in DOMAINS])
    assert agrees(row["overall"], found) is holds
    assert agrees(gives, found)


@pytest.mark.parametrize(
    CASE,
    cases("moment_t2", "name", AT_1_FPS)
    + cases("moment_t10", "name", NO_COUNTS | {KEYE_AT_1_FPS: "Games"})
    + cases("moment_t3", "name"),
)
def test_every_cell_is_a_count_of_its_questions(row: Row, holds: bool, gives: str) -> None:
    sizes = {name: int(size) for name, size in MOMENT_SIZES.items() if name in row}
    found = [name for name, size in sizes.items() if len(counts(row[name], size)) != 1]
    assert (not found) is holds
    assert holds or found == gives.split()


def added(row: Row, names: list[str]) -> Decimal:
    """The share in percent of a thousand questions that the counts of some cells add up to."""
    return Decimal(sum(counts(row[name], int(MOMENT_SIZES[name]))[0] for name in names)) / 10


@pytest.mark.parametrize(
    CASE,
    cases("moment_t2", "overall", but=BY_TASK.keys() | {"VideoLLaMA3-7B 1fps"})
    + cases("moment_t10", "overall", but=BY_TASK.keys() | {"VideoLLaMA3-7B 1fps"})
    + cases("moment_t3", "overall"),
)
def test_the_counts_of_tasks_add_up_to_the_overall_accuracy(row: Row, holds: bool, gives: str) -> None:
    assert (added(row, TASKS) == Decimal(row["overall"])) is holds
    assert added(row, TASKS) == Decimal(gives)


@pytest.mark.parametrize(
    CASE,
    cases("moment_t2", "overall", but=AT_1_FPS)
    + cases("moment_t10", "overall", TOTALS_BY_DOMAIN, but=NO_COUNTS.keys() | {KEYE_AT_1_FPS}),
)
def test_the_counts_of_domains_add_up_to_the_overall_accuracy(row: Row, holds: bool, gives: str) -> None:
    assert (added(row, DOMAINS) == Decimal(row["overall"])) is holds
    assert added(row, DOMAINS) == Decimal(gives)


def test_two_tables_of_one_run_differ_in_one_cell() -> None:
    differing = {
        (name, cell): (figure, TABLES["moment_t10"][name][cell])
        for name, row in TABLES["moment_t2"].items()
        for cell, figure in row.items()
        if figure != TABLES["moment_t10"][name][cell]
    }
    assert differing == {(KEYE_AT_1_FPS, "Games"): ("14.37", "14.40")}


def test_two_models_have_other_figures_in_the_ablation_of_frame_rates() -> None:
    both = TABLES["moment_t3"].keys() & TABLES["moment_t10"].keys()
    overall = {name: (TABLES["moment_t3"][name]["overall"], TABLES["moment_t10"][name]["overall"]) for name in both}
    assert len(both) == 8
    assert {name: pair for name, pair in overall.items() if pair[0] != pair[1]} == {
        "Qwen3.5-27B 8fps": ("25.4", "25.3"),
        "Qwen3.5-397B-A17B 8fps": ("26.1", "25.6"),
    }


def test_the_subclasses_weigh_to_the_mean_of_all_models() -> None:
    by_subclass = weighted(column("moment_t11", "accuracy"), column("moment_t11", "questions"))
    by_model = at_ends(plain_mean, column("moment_t2", "overall"))
    assert sum(map(int, column("moment_t11", "questions"))) == 1000
    assert agrees("19.64", by_subclass)
    assert agrees("19.64", by_model)


SOLVED = {
    "Annotator 1": (Agreement(true_positive=100, false_positive=14, false_negative=11, true_negative=639), "1.69"),
    "Annotator 2": (Agreement(true_positive=99, false_positive=10, false_negative=12, true_negative=643), "1.83"),
    "Annotator 3": (Agreement(true_positive=99, false_positive=7, false_negative=12, true_negative=646), "1.82"),
}


def matrix_of(tp: int, fp: int, agreed: int) -> Agreement:
    """The confusion matrix of 764 verdicts of which so many agree."""
    return Agreement(true_positive=tp, false_positive=fp, false_negative=764 - agreed - fp, true_negative=agreed - tp)


def figures_of(found: Agreement) -> dict[str, Interval]:
    """The four metrics of an agreement as Moment-Video prints them: percent, but for kappa."""
    assert found.accuracy is not None
    assert found.f1 is not None
    assert found.false_positive_rate is not None
    assert found.kappa is not None
    percent = {"accuracy": found.accuracy, "f1": found.f1, "fpr": found.false_positive_rate}
    return {name: exactly(100 * value) for name, value in percent.items()} | {"kappa": exactly(found.kappa)}


@pytest.mark.parametrize(CASE, cases("moment_t9", "accuracy", but=["Average"]))
def test_one_confusion_matrix_alone_gives_the_four_metrics(row: Row, holds: bool, gives: str) -> None:
    found = [
        matrix
        for agreed in counts(gives, 764)
        for tp in range(1, agreed)
        if agrees(row["f1"], figures_of(matrix_of(tp, 0, agreed))["f1"])
        for matrix in [matrix_of(tp, fp, agreed) for fp in range(764 - agreed + 1)]
        if all(agrees(row[name], value) for name, value in figures_of(matrix).items())
    ]
    assert (found == [SOLVED[row["name"]][0]]) is holds


@pytest.mark.parametrize(("solved", "rate"), SOLVED.values(), ids=SOLVED)
def test_the_judge_was_the_reference_and_its_own_false_positives_are_others(solved: Agreement, rate: str) -> None:
    # Three annotators of the same verdicts: what stays the same is the judge's, and that is the reference's side.
    assert solved.true_positive + solved.false_negative == 111
    turned = Agreement(
        true_positive=solved.true_positive,
        false_positive=solved.false_negative,
        false_negative=solved.false_positive,
        true_negative=solved.true_negative,
    )
    before, after = figures_of(solved), figures_of(turned)
    assert agrees(rate, after.pop("fpr"))
    assert not agrees(rate, before.pop("fpr"))
    assert after == before


@pytest.mark.parametrize("metric", ["accuracy", "f1", "fpr", "kappa"])
def test_the_average_of_annotators_is_the_mean(metric: str) -> None:
    found = at_ends(plain_mean, column("moment_t9", metric, but=["Average"]))
    assert agrees(TABLES["moment_t9"]["Average"][metric], found)
