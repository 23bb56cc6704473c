"""Estimates over videos: their values, their errors by hand, and their promises by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import pytest

from longtake.evalharness.scoring.estimates import (
    Estimate,
    Observation,
    macro,
    mcnemar,
    mean,
    paired,
    ratio,
    sign_flips,
)


def observed(earned: Sequence[float], possible: Sequence[float], videos: Sequence[str]) -> list[Observation]:
    return list(map(Observation, earned, possible, videos))


def replies(rng: np.random.Generator, videos: int) -> tuple[list[float], list[str]]:
    """Right and wrong replies to 2 to 10 questions on each video, of which some are harder; 50 % are right."""
    sizes = rng.integers(2, 11, videos)
    chances = np.repeat(rng.beta(2, 2, videos), sizes)
    right = rng.random(sizes.sum()) < chances
    return right.astype(float).tolist(), np.repeat([f"v{place}" for place in range(videos)], sizes).tolist()


def test_a_mean_is_in_percent_and_counts_items_and_videos() -> None:
    found = mean([1, 1, 0, 1], ["a", "a", "b", "c"])
    assert (found.value, found.n, found.videos) == (75.0, 4, 3)


def test_a_ratio_pools_what_was_earned_over_what_was_possible() -> None:
    # The mean of the two shares would be 65.
    assert ratio(observed([4, 3], [5, 6], ["a", "b"])).value == pytest.approx(100 * 7 / 11, abs=1e-4)


def test_a_macro_mean_gives_each_member_and_each_group_the_same_weight() -> None:
    many, few = observed([1] * 8, [1] * 8, list("abcdefgh")), observed([0, 1], [1, 1], ["a", "b"])
    none = observed([0], [1], ["a"])
    assert macro([[many, few], [none]]).value == 100 * (((1 + 0.5) / 2) + 0) / 2


def test_a_difference_that_rounds_to_nothing_has_no_sign() -> None:
    assert str(Estimate(value=-0.04, low=-0.02, high=0.01, error=0.1, n=9, videos=9)) == "0.0 [0.0, 0.0]"


def test_what_could_earn_nothing_has_no_part_in_a_macro_mean() -> None:
    right, empty = observed([1, 0], [1, 1], ["a", "b"]), observed([0, 0], [0, 0], ["a", "b"])
    assert macro([[right, empty], [empty], []]) == ratio(right).model_copy(update={"n": 6})


def test_an_interval_is_made_of_drawings_that_leave_no_task_out() -> None:
    wrong, right = observed([0] * 8, [1] * 8, list("abcdefgh")), observed([1], [1], ["a"])
    for found in (macro([[wrong, right]]), macro([[wrong], [right]])):
        assert (found.value, found.low, found.high) == (50.0, 50.0, 50.0)


def test_there_is_no_interval_where_most_drawings_leave_a_task_out() -> None:
    found = macro([[observed([value], [1], [video])] for value, video in zip([0, 1, 1] * 2, "abcdef", strict=True)])
    assert (found.value, found.low, found.high, str(found)) == (pytest.approx(66.6667), None, None, "66.7")
    assert found.error is not None


@pytest.mark.parametrize("found", [mean([], []), macro([]), ratio(observed([0, 0], [0, 0], ["a", "b"]))])
def test_without_observations_there_is_no_estimate(found: Estimate) -> None:
    assert (found.value, found.low, found.high, found.error, str(found)) == (None, None, None, None, "none")


@pytest.mark.parametrize("videos", ["aaaaaa", "aaabbb", "abcdee"])
def test_too_few_videos_have_a_value_and_neither_interval_nor_error(videos: str) -> None:
    found = mean([1, 0, 1, 1, 1, 0], list(videos))
    assert (found.low, found.high, found.error, str(found)) == (None, None, None, "66.7")
    compared = paired([1, 0, 1, 1, 1, 0], [0, 0, 0, 1, 0, 1], list(videos))
    assert (compared.difference.error, compared.detectable) == (None, None)


def test_the_videos_that_count_are_those_that_could_earn_anything() -> None:
    earned, possible = [1, 0, 1, 1, 0, 0], [1, 1, 1, 1, 1, 0]
    assert ratio(observed(earned, possible, list("abcdef"))).error is None
    assert ratio(observed(earned, [1] * 6, list("abcdef"))).error is not None


def test_the_error_of_a_mean_sums_residuals_by_video() -> None:
    # Residuals from 1/2 sum to 1, -1 and four times 0; 6 / 5 of their squares over 12 squared is 1 / 60.
    found = mean([1, 1, 0, 0] + [1, 0] * 4, list("aabbccddeeff"))
    assert found.error == pytest.approx(100 * (1 / 60) ** 0.5, abs=1e-4)


def test_the_error_of_a_ratio_sums_what_is_earned_beyond_the_ratio() -> None:
    # The ratio is 1/2, the residuals 1.5 and -1.5 of 18; 6 / 5 of 4.5 / 18 squared is 1 / 60.
    found = ratio(observed([4, 1, 1, 1, 1, 1], [5, 5, 2, 2, 2, 2], list("abcdef")))
    assert found.error == pytest.approx(100 * (1 / 60) ** 0.5, abs=1e-4)


def test_the_error_of_a_macro_mean_sees_that_a_video_has_part_in_several_members() -> None:
    videos, rest = list("abcdef"), [0.5] * 4
    one, other = observed([1, 0, *rest], [1] * 6, videos), observed([0, 1, *rest], [1] * 6, videos)
    # What a video gains in one task it loses in the other, or gains once more.
    assert macro([[one, other]]).error == 0.0
    assert macro([[one, one]]).error == ratio(one).error == pytest.approx(100 * (1 / 60) ** 0.5, abs=1e-4)


def test_the_error_of_single_items_is_that_of_the_sample_mean() -> None:
    values = np.random.default_rng(3).random(40).tolist()
    found = mean(values, [str(place) for place in range(40)])
    assert found.error == pytest.approx(100 * np.std(values, ddof=1) / 40**0.5, abs=1e-4)


def test_drawing_in_blocks_draws_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values, videos = replies(np.random.default_rng(9), 20)
    whole = mean(values, videos)
    monkeypatch.setattr("longtake.evalharness.scoring.estimates._DRAWN", 7 * 20)
    assert mean(values, videos) == whole


def test_an_interval_holds_the_value_and_is_the_same_in_any_order() -> None:
    values, videos = replies(np.random.default_rng(4), 20)
    found = mean(values, videos)
    assert found == mean(values[::-1], videos[::-1])
    assert found.low is not None
    assert found.value is not None
    assert found.high is not None
    assert 0 <= found.low < found.value < found.high <= 100
    assert str(found) == f"{found.value:.1f} [{found.low:.1f}, {found.high:.1f}]"


def covers(estimate: Estimate, truth: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= truth <= estimate.high


@pytest.mark.nightly
def test_nineteen_of_twenty_intervals_hold_the_truth_where_videos_are_known_and_fewer_where_they_are_not() -> None:
    rng = np.random.default_rng(11)
    by_video = by_item = 0
    for _ in range(400):
        values, videos = replies(rng, 60)
        by_video += covers(mean(values, videos), 50)
        by_item += covers(mean(values, [str(place) for place in range(len(values))]), 50)
    assert 0.92 <= by_video / 400 <= 0.975
    assert by_item / 400 < 0.9


def test_the_clustered_error_is_the_spread_of_means_over_repetitions() -> None:
    rng = np.random.default_rng(12)
    found = [mean(*replies(rng, 60)) for _ in range(400)]
    spread = np.std([estimate.value or 0 for estimate in found], ddof=1)
    assert np.mean([estimate.error or 0 for estimate in found]) == pytest.approx(spread, rel=0.1)


@pytest.mark.slow
def test_a_difference_that_can_just_be_detected_is_detected_in_four_of_five_repetitions() -> None:
    rng = np.random.default_rng(13)
    found = []
    for _ in range(400):
        chances = np.repeat(rng.uniform(0.2, 0.5, 70), 4)
        leads = np.repeat(rng.uniform(0.015, 0.215, 70), 4)
        first, second = rng.random(280) < chances + leads, rng.random(280) < chances
        videos = np.repeat([f"v{place}" for place in range(70)], 4)
        found.append(paired(first.astype(float).tolist(), second.astype(float).tolist(), videos.tolist()))
    detectable = float(np.mean([one.detectable or 0 for one in found]))
    power = float(np.mean([not covers(one.difference, 0) for one in found]))
    assert detectable == pytest.approx(11.5, abs=0.3)
    assert power == pytest.approx(0.8, abs=0.06)


def test_a_pair_counts_the_items_that_only_one_gets_right() -> None:
    found = paired([1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 0, 0], list("abcdef"))
    assert (found.only_first, found.only_second, found.p_items) == (2, 1, 1.0)
    assert found.difference.value == pytest.approx(100 / 6, abs=1e-4)
    assert found.difference.error is not None
    reach = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    assert found.detectable == pytest.approx(reach * found.difference.error, abs=1e-3)


def test_two_subjects_that_answer_alike_do_not_differ() -> None:
    found = paired([1, 0, 1], [1, 0, 1], list("abc"))
    assert (found.difference.value, found.p_items, found.p_videos, found.detectable) == (0.0, 1.0, 1.0, None)


def test_nothing_to_compare_gives_no_probability() -> None:
    found = paired([], [], [])
    assert (found.difference.value, found.p_items, found.p_videos, found.detectable) == (None,) * 4


def test_a_pair_must_be_of_the_same_items() -> None:
    with pytest.raises(ValueError, match="shorter"):
        paired([1, 0], [1], ["a", "b"])


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (0, 1, 1.0),
        (0, 6, 2 / 64),
        (1, 9, 2 * (1 + 10) / 1024),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
        (5, 15, 2 * 21700 / 2**20),
        # The normal approximation with its correction for continuity: z = (200 - 1) / 100.
        (4900, 5100, 2 * NormalDist().cdf(-1.99)),
    ],
)
def test_mcnemar_is_the_two_sided_binomial_probability(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar(only_first, only_second) == pytest.approx(p, abs=2e-5)
    assert mcnemar(only_second, only_first) == mcnemar(only_first, only_second)


@pytest.mark.parametrize(
    ("differences", "videos", "p"),
    [
        ([1, 1, 1], "abc", 2 / 8),
        ([1, 1, 1, 1, 1, 1], "aaabbb", 2 / 4),  # over items 2 / 64
        ([1, -1, 1], "aab", 1.0),  # a is the same with either sign
        ([0.5, 0.25, -0.25], "abc", 6 / 8),  # only + - + and - + - of these make less than a half
        ([0.1] * 12, "abcdefghijkl", 2 / 2**12),
    ],
)
def test_few_videos_are_flipped_in_every_way(differences: list[float], videos: str, p: float) -> None:
    assert sign_flips(differences, list(videos)) == p


def test_flips_of_many_videos_are_drawn_and_are_the_same_again() -> None:
    rng = np.random.default_rng(14)
    differences, videos = rng.normal(0.3, 1, 60).tolist(), [str(place) for place in range(60)]
    found = sign_flips(differences, videos)
    assert found == sign_flips(differences, videos)
    # The sum under flips is nearly normal, with the root of the sum of squares for its spread.
    normal = 2 * NormalDist().cdf(-abs(sum(differences)) / sum(each**2 for each in differences) ** 0.5)
    assert found == pytest.approx(normal, abs=0.01)
    assert sign_flips([1.0] * 60, videos) == 1 / 10_000


def test_where_items_of_a_video_go_together_flips_of_videos_promise_what_mcnemar_does_not() -> None:
    """Of two equal subjects, tests at 5 % find a difference in one of twenty repetitions, or they promise too much."""
    rng = np.random.default_rng(15)
    over_items = over_videos = 0
    for _ in range(200):
        leads = np.repeat(rng.choice([-1.0, 0.0, 1.0], 20), 6)  # all six items of a video go to one of the two
        first, second = ((leads == side).astype(float).tolist() for side in (1, -1))
        found = paired(first, second, np.repeat(np.arange(20), 6).astype(str).tolist())
        over_items += (found.p_items or 0) < 0.05
        over_videos += (found.p_videos or 0) < 0.05
    assert over_videos / 200 <= 0.08
    assert over_items / 200 > 0.2
