"""Holds an audit against items whose shortcuts are known: precision and recall of each test.

Items say which tests solve them in the tag `shortcuts`, by the names of the tests, separated by spaces; "none" if no
test does. Beside each figure stands the one that independent guesses would have.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from longtake.evalharness.audit.consensus import Solved, at_least, flagged_by
from longtake.evalharness.items import Item
from longtake.memory.records import Record

TAG = "shortcuts"


class Planted(Record):
    """What one test found at the consensus that counts. A share is None if it has no denominator."""

    planted: int
    flagged: int
    found: int
    precision: float | None
    recall: float | None
    guessed_precision: float | None
    guessed_recall: float | None


def planted(
    items: Mapping[str, Item], solved: Solved, unable: Mapping[str, Collection[str]], level: int
) -> dict[str, Planted]:
    """The figures of each test; none if no item says its shortcuts.

    Args:
        items: by id.
        solved: by test and model, the items that it got right.
        unable: by test, items that it can't flag.
        level: how many models must agree.
    """
    known = {name: item.tags[TAG].split() for name, item in items.items() if TAG in item.tags}
    if not known:
        return {}
    return {test: _figures(test, items, known, models, unable.get(test, ()), level) for test, models in solved.items()}


def _figures(
    test: str,
    items: Mapping[str, Item],
    known: Mapping[str, Collection[str]],
    models: Mapping[str, Collection[str]],
    unable: Collection[str],
    level: int,
) -> Planted:
    wanted = {name for name, tests in known.items() if test in tests}
    flagged = flagged_by(models, level) & known.keys()
    count = len(models)
    guessed = {
        name: 0.0 if name in unable else at_least(min(level, count), count, 1 / len(items[name].turns[0].options))
        for name in known
    }
    of_wanted = sum(guessed[name] for name in wanted)
    return Planted(
        planted=len(wanted),
        flagged=len(flagged),
        found=len(flagged & wanted),
        precision=_share(len(flagged & wanted), len(flagged)),
        recall=_share(len(flagged & wanted), len(wanted)),
        guessed_precision=_share(of_wanted, sum(guessed.values())),
        guessed_recall=_share(of_wanted, len(wanted)),
    )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
