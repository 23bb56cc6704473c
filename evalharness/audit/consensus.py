"""Set algebra of an audit: which items several models solve in a view that hides what the question is about.

The definitions are those of Video-Oasis: an item is a shortcut of a test at consensus c if at least c of its models
are right, and a shortcut of the audit if it is one of any test. Beside each share stands the one that independent
guessing would give: with four options, six tests and three models 99.4, 63.9 and 9.0 % at consensus 1, 2 and 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import comb, prod

from pydantic import Field

from longtake.errors import ConfigError
from longtake.evalharness.scoring.estimates import quotient
from longtake.memory.records import Record

Solved = Mapping[str, Mapping[str, Collection[str]]]  # test -> model -> ids of the items it got right


class FlaggedShare(Record):
    """A share of the items, and that of guessing, both from 0 to 1."""

    items: int
    value: float
    floor: float = Field(description="Expected of independent guesses.")


class TestShare(Record):
    """One test at the consensus that counts."""

    total: int = Field(description="Items that so many of its models solve.")
    unique: int = Field(description="Of these, those that no other test flags.")


class Overlap(Record):
    """Two sets of items; the paper gives no formula for their overlap, so all three shares are given."""

    first: int
    second: int
    both: int
    of_first: float | None = Field(description="None if the first is empty, and so on.")
    of_second: float | None
    jaccard: float | None


class Shortcuts(Record):
    """The outcome of the shortcut tests."""

    items: int
    level: int = Field(description="The consensus that counts: so many models of one test must be right.")
    consensus: Mapping[int, FlaggedShare] = Field(description="By the number of models that must agree.")
    tests: Mapping[str, TestShare]
    overlap: Mapping[str, Mapping[str, Overlap]] = Field(description="Of the items flagged at this consensus.")
    flagged: Mapping[str, tuple[str, ...]] = Field(description="For each item flagged at this consensus, its tests.")

    def flagged_by(self, test: str) -> set[str]:
        """The items that a test flags at the consensus that counts."""
        return {item for item, tests in self.flagged.items() if test in tests}


def shortcuts(
    options: Mapping[str, int],
    solved: Solved,
    unable: Mapping[str, Collection[str]] | None = None,
    level: int | None = None,
) -> Shortcuts:
    """The shortcuts among the items.

    `options` are numbers, by item. A test with fewer models than a level needs all of them, and can't flag what it is
    unable to show, such as those without a transcript. Without a level as many must agree as the largest test has.

    Raises:
        ConfigError: if no test has so many models.
    """
    most = max((len(models) for models in solved.values()), default=0)
    level = most if level is None else level
    if level > most:
        raise ConfigError(f"No test has {level} models; the most is {most}. Ask for a lower consensus.")
    flags = {test: flagged_by(models, level) for test, models in solved.items()}
    found = {each: flagged_by_any(solved, each) for each in range(1, most + 1)}
    reasons = {item: tuple(test for test in flags if item in flags[test]) for item in options}
    return Shortcuts(
        items=len(options),
        level=level,
        consensus={
            each: FlaggedShare(
                items=len(items),
                value=len(items) / len(options) if options else 0.0,
                floor=chance_floor(options, solved, each, unable or {}),
            )
            for each, items in found.items()
        },
        tests={
            test: TestShare(
                total=len(items), unique=len(items - set().union(*(flags[other] for other in flags if other != test)))
            )
            for test, items in flags.items()
        },
        overlap={one: {other: overlap(flags[one], flags[other]) for other in flags if other != one} for one in flags},
        flagged={item: tests for item, tests in reasons.items() if tests},
    )


def flagged_by(models: Mapping[str, Collection[str]], level: int) -> set[str]:
    """The items that at least so many models got right, or all of them if there are fewer."""
    level = min(level, len(models))
    counts = Counter(item for right in models.values() for item in set(right))
    return {item for item, count in counts.items() if count >= level}


def flagged_by_any(solved: Solved, level: int) -> set[str]:
    """The items that at least so many models of one test got right."""
    return set[str]().union(*(flagged_by(models, level) for models in solved.values()))


def chance_floor(
    options: Mapping[str, int], solved: Solved, level: int, unable: Mapping[str, Collection[str]]
) -> float:
    """The share of items that models which guess independently would flag at a consensus, from 0 to 1."""
    total = 0.0
    for item, count in options.items():
        total += 1 - prod(
            1 - at_least(min(level, len(models)), len(models), 1 / count)
            for test, models in solved.items()
            if item not in unable.get(test, ())
        )
    return total / len(options) if options else 0.0


def at_least(wanted: int, trials: int, chance: float) -> float:
    """The probability of at least so many successes."""
    return sum(comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(wanted, trials + 1))


def overlap(one: Collection[str], other: Collection[str]) -> Overlap:
    """How far two sets of items are the same, from 0 to 1."""
    both = len(set(one) & set(other))
    either = len(set(one) | set(other))
    return Overlap(
        first=len(one),
        second=len(other),
        both=both,
        of_first=quotient(both, len(one)),
        of_second=quotient(both, len(other)),
        jaccard=quotient(both, either),
    )


class Ambiguity(Record):
    """Items whose question may be unclear, and why."""

    all_differ: tuple[str, ...] = Field(description="Every model chose another option.")
    no_majority: tuple[str, ...] = Field(description="No option has more than half of the models.")
    redundant: tuple[str, ...] = Field(description="Every part of the video alone gives the right answer.")
    order_free: tuple[str, ...] = Field(
        description="Flagged by shuffled frames and by no other test: people must look."
    )


def ambiguity(
    chosen: Mapping[str, Mapping[str, int | None]], by_part: Sequence[Collection[str]], found: Shortcuts, shuffled: str
) -> Ambiguity:
    """The items to review.

    They come from what each model chose with the whole video, from what a model got right from each part of it alone,
    and from the test with shuffled frames.
    """
    differing, without = [], []
    for item, choices in chosen.items():
        given = [choice for choice in choices.values() if choice is not None]
        if len(given) == len(choices) > 1 and len(set(given)) == len(given):
            differing.append(item)
        if choices and max(map(given.count, set(given)), default=0) * 2 <= len(choices):
            without.append(item)
    redundant = set.intersection(*map(set, by_part)) if by_part else set()
    alone = [item for item, tests in found.flagged.items() if tests == (shuffled,)]
    return Ambiguity(
        all_differ=tuple(differing),
        no_majority=tuple(without),
        redundant=tuple(sorted(redundant)),
        order_free=tuple(alone),
    )
