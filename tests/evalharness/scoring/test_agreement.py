"""Agreement of a judge with a reference: the confusion matrix and what follows from it."""

from __future__ import annotations

import pytest

from longtake.evalharness.judges.judge_check import Agreement


def of_counts(tp: int, fp: int, fn: int, tn: int) -> Agreement:
    return Agreement(true_positive=tp, false_positive=fp, false_negative=fn, true_negative=tn)


def test_pairs_are_the_references_verdict_and_the_judges() -> None:
    pairs = [(True, True)] * 4 + [(False, True)] * 3 + [(True, False)] * 2 + [(False, False)]
    assert Agreement.of(pairs) == of_counts(4, 3, 2, 1)


def test_metrics_follow_from_the_counts() -> None:
    found = of_counts(20, 5, 10, 15)
    assert found.n == 50
    assert found.accuracy == 35 / 50
    assert found.f1 == pytest.approx(2 * (20 / 25) * (20 / 30) / (20 / 25 + 20 / 30))
    assert found.false_positive_rate == 5 / 20
    assert found.false_negative_rate == 10 / 30


@pytest.mark.parametrize(
    ("matrix", "kappa"),
    [
        (of_counts(20, 5, 10, 15), 0.4),  # 0.7 observed, 0.5 by chance
        (of_counts(45, 25, 15, 15), 0.6 / 4.6),  # 0.6 observed, 0.54 by chance
        (of_counts(25, 35, 5, 35), 0.14 / 0.54),  # 0.6 observed, 0.46 by chance
        (of_counts(7, 0, 0, 3), 1.0),
        (of_counts(0, 5, 5, 0), -1.0),
        (of_counts(6, 6, 2, 2), 0.0),
    ],
)
def test_kappa_is_the_agreement_beyond_chance(matrix: Agreement, kappa: float) -> None:
    assert matrix.kappa == pytest.approx(kappa)


def test_the_rates_of_error_are_of_the_reference_and_the_rest_is_symmetric() -> None:
    found, turned = of_counts(100, 14, 11, 639), of_counts(100, 11, 14, 639)
    assert (found.accuracy, found.f1) == (turned.accuracy, turned.f1)
    assert found.kappa == pytest.approx(turned.kappa)
    assert found.false_positive_rate == 14 / 653
    assert turned.false_positive_rate == 11 / 650


def test_without_verdicts_there_is_no_agreement() -> None:
    found = Agreement.of([])
    assert found.n == 0
    assert {found.accuracy, found.f1, found.false_positive_rate, found.false_negative_rate, found.kappa} == {None}


@pytest.mark.parametrize(
    ("matrix", "undefined"),
    [
        (of_counts(0, 0, 0, 9), {"f1", "false_negative_rate", "kappa"}),
        (of_counts(9, 0, 0, 0), {"false_positive_rate", "kappa"}),
        (of_counts(0, 4, 0, 5), {"false_negative_rate"}),
    ],
)
def test_a_share_of_nothing_is_undefined(matrix: Agreement, undefined: set[str]) -> None:
    names = ("accuracy", "f1", "false_positive_rate", "false_negative_rate", "kappa")
    assert {name for name in names if getattr(matrix, name) is None} == undefined
