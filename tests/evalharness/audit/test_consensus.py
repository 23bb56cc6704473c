"""The set algebra of an audit, by hand and against the chance floor."""

from __future__ import annotations

from random import Random

import pytest

from longtake.evalharness.audit.consensus import ambiguity, overlap, shortcuts

FOUR = dict.fromkeys("abcdef", 4)


def test_shortcuts_of_two_tests_by_hand() -> None:
    found = shortcuts(
        FOUR, {"blind": {"m": "abc", "n": "ab", "o": "abd"}, "center": {"m": "be", "n": "be", "o": "bef"}}
    )
    assert {level: share.items for level, share in found.consensus.items()} == {1: 6, 2: 3, 3: 3}
    assert found.consensus[3].value == 0.5
    assert {test: (share.total, share.unique) for test, share in found.tests.items()} == {
        "blind": (2, 1),
        "center": (2, 1),
    }
    assert found.flagged == {"a": ("blind",), "b": ("blind", "center"), "e": ("center",)}
    assert found.overlap["blind"]["center"].jaccard == pytest.approx(1 / 3)


@pytest.mark.parametrize(("level", "percent"), [(1, 99.4), (2, 63.9), (3, 9.0)])
def test_the_floor_is_what_guessing_gives(level: int, percent: float) -> None:
    tests = [f"t{number}" for number in range(6)]
    nothing = shortcuts(FOUR, {test: dict.fromkeys("mno", ()) for test in tests})
    assert nothing.consensus[level].floor * 100 == pytest.approx(percent, abs=0.05)
    random, items = Random(1), [str(number) for number in range(3000)]
    guessed = {test: {model: [item for item in items if random.randrange(4) == 0] for model in "mno"} for test in tests}
    found = shortcuts(dict.fromkeys(items, 4), guessed)
    assert found.consensus[level].value == pytest.approx(found.consensus[level].floor, abs=0.02)


def test_a_test_that_cannot_flag_an_item_lowers_the_floor() -> None:
    solved = {"audio": {"m": (), "n": ()}}
    assert shortcuts({"a": 2}, solved).consensus[2].floor == 0.25
    assert shortcuts({"a": 2}, solved, {"audio": "a"}).consensus[2].floor == 0.0


def test_overlap() -> None:
    same = overlap("abc", "bcd")
    assert (same.of_first, same.of_second, same.jaccard) == (pytest.approx(2 / 3), pytest.approx(2 / 3), 0.5)
    nothing = overlap("", "b")
    assert (nothing.of_first, nothing.of_second, nothing.jaccard) == (None, 0.0, 0.0)


def test_ambiguous_items_by_each_reading() -> None:
    found = shortcuts(FOUR, {"shuffled": {"m": "ab"}, "blind": {"m": "b"}})
    chosen = {
        "a": {"m": 0, "n": 1, "o": 2},
        "b": {"m": 0, "n": 0, "o": 1},
        "c": {"m": 0, "n": None, "o": 1},
        "d": {"m": 0, "n": 0, "o": 1, "p": 1},
    }
    review = ambiguity(chosen, ["abc", "bc", "bce"], found, "shuffled")
    assert review.all_differ == ("a",)
    assert review.no_majority == ("a", "c", "d")
    assert review.redundant == ("b", "c")
    assert review.order_free == ("a",)
