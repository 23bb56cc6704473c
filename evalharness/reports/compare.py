"""Compares two subjects on the same items: the difference, whether it may be chance, and which items flipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import Field

from longtake.console import counted
from longtake.errors import ConfigError
from longtake.evalharness.items import Item
from longtake.evalharness.reports.grid import Grid, estimate
from longtake.evalharness.reports.openable import score_in_words
from longtake.evalharness.reports.run_scores import RunScores, SubjectScores
from longtake.evalharness.scoring.estimates import CONFIDENCE, FEWEST_VIDEOS, POWER, Estimate, Paired, mean, paired
from longtake.memory.records import Record


class Flip(Record):
    """An item that one of the two got better than the other."""

    item: str
    task: str
    question: str
    first: float = Field(description="Score of the first, 0 to 1.")
    second: float
    first_said: str
    second_said: str


class SubjectComparison(Record):
    """Two subjects on identical items; scores are plain means over these, in percent."""

    first: str
    second: str
    first_score: Estimate
    second_score: Estimate
    paired: Paired
    unscored: int = Field(description="Identical items left out because a side has no score of them.")
    unshared: int = Field(description="Items left out because a side does not have them, or has them otherwise.")
    unasked: int = Field(description="Items left out because a side was not asked them yet.")
    otherwise: tuple[str, ...] = Field(description="What differs in how they were asked.")
    tasks: dict[str, Paired]
    flips: tuple[Flip, ...]


class _ScoredItem(NamedTuple):
    """The scores of an item that both sides have a score of."""

    task: str
    video: str
    first: float
    second: float


def compare(first: SubjectScores, second: SubjectScores, names: tuple[str, str]) -> SubjectComparison:
    """Compare two subjects, of one run or of two, under these names: the first's score less the second's.

    Raises:
        ConfigError: if they have no item in common, or were judged by different judges.
    """
    if None not in (first.judge, second.judge) and first.judge != second.judge:
        raise ConfigError(
            f"{names[0]} was judged by {first.judge} and {names[1]} by {second.judge}; judge both by one, with "
            "`longtake eval judge`, and name it with --judge."
        )
    waiting = {*first.unasked, *second.unasked}
    imported = first.card.imported or second.card.imported
    identical = 0
    scored: list[_ScoredItem] = []
    flips: list[Flip] = []
    for item in first.items.values():
        if item.id not in second.items or not _same(item, second.items[item.id], imported=imported):
            continue
        identical += 1
        one, other = first.values[item.id], second.values[item.id]
        if one is None or other is None:
            continue
        scored.append(_ScoredItem(item.task, first.videos[item.id], one, other))
        if one != other:
            flips.append(
                Flip(
                    item=item.id,
                    task=item.task,
                    question=item.turns[0].question,
                    first=one,
                    second=other,
                    first_said=_said(first, item),
                    second_said=_said(second, item),
                )
            )
    if not identical:
        raise ConfigError(
            f"{names[0]} and {names[1]} were asked no identical item; compare runs of the same questions."
        )
    tasks: dict[str, list[_ScoredItem]] = {}
    for row in scored:
        tasks.setdefault(row.task, []).append(row)
    videos = [row.video for row in scored]
    return SubjectComparison(
        first=names[0],
        second=names[1],
        first_score=mean([row.first for row in scored], videos),
        second_score=mean([row.second for row in scored], videos),
        paired=_paired(scored),
        unscored=identical - len(scored),
        unshared=len({*first.items, *second.items} - waiting) - identical,
        unasked=len(waiting),
        otherwise=tuple(name for name, way in first.card.ways.items() if way != second.card.ways[name]),
        tasks={task: _paired(rows) for task, rows in tasks.items() if len(tasks) > 1},
        flips=tuple(sorted(flips, key=lambda flip: flip.second - flip.first)),
    )


def subject_of(run: RunScores, name: str | None, option: str) -> SubjectScores:
    """A subject of a run by its name or how that begins; without a name its only one. `option` gives it, for messages.

    Raises:
        ConfigError: if there is no such subject, or several to choose from.
    """
    held = {subject.name: subject for subject in run.subjects}
    if name is None and len(held) == 1:
        return run.subjects[0]
    if name is None:
        raise ConfigError(f"Name one of the subjects {', '.join(held)} with {option}.")
    found = [name] if name in held else [each for each in held if each.startswith(name)]
    if len(found) != 1:
        fault = "several subjects" if found else "no subject"
        raise ConfigError(f"{option} {name} names {fault}; name one of {', '.join(found or held)}.")
    return held[found[0]]


def summary(found: SubjectComparison) -> Iterator[str]:
    """The comparison in sentences."""
    pair, difference = found.paired, found.paired.difference
    yield f"{found.first} {found.first_score}, {found.second} {found.second_score}, difference {difference}"
    yield (
        f"{found.first} is better on {counted(pair.only_first, 'item')}, {found.second} on {pair.only_second}, "
        f"of {difference.n} identical ones about {counted(difference.videos, 'video')}"
        f"; over items, McNemar {_p(pair.p_items)}; over videos, sign flips {_p(pair.p_videos)}"
    )
    if pair.detectable is not None:
        yield (
            f"A true difference of {pair.detectable:.1f} points or more would be seen with a chance of {100 * POWER:g} "
            f"% at a confidence of {100 * CONFIDENCE:g} %"
        )
    if 0 < difference.videos < FEWEST_VIDEOS:
        yield f"Fewer than {FEWEST_VIDEOS} videos give neither an interval nor a detectable difference"
    if found.otherwise:
        yield f"The two were asked with different {' and '.join(found.otherwise)}"
    if found.unscored:
        yield f"{counted(found.unscored, 'item')} skipped: one side has no score, for example without a verdict"
    if found.unasked:
        yield (
            f"{counted(found.unasked, 'item')} skipped: one side wasn't asked yet; "
            "the same `longtake eval run` command continues"
        )
    if found.unshared:
        yield f"{counted(found.unshared, 'item')} skipped: not asked in the same words on both sides"


def grids(found: SubjectComparison) -> list[Grid]:
    """The differences by task and the items that flipped, as tables."""
    better = (f"{found.first} better", f"{found.second} better")
    columns = ("Task", "n", "Difference", *better, "McNemar, items", "Flips, videos")
    tasks = [
        (
            name or "none",
            str(pair.difference.n),
            estimate(pair.difference),
            str(pair.only_first),
            str(pair.only_second),
            _p(pair.p_items),
            _p(pair.p_videos),
        )
        for name, pair in found.tasks.items()
    ]
    flips = []
    for one in found.flips:
        said = (score_in_words(one.first), one.first_said, score_in_words(one.second), one.second_said)
        flips.append((one.item, one.task, one.question, *said))
    heads = (found.first, f"{found.first} said", found.second, f"{found.second} said")
    held = [Grid("By task", columns, tuple(tasks)), Grid("Flipped", ("Item", "Task", "Question", *heads), tuple(flips))]
    return [grid for grid in held if grid.rows]


def _p(p: float | None) -> str:
    if p is None:
        return "has no items"
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _paired(rows: Sequence[_ScoredItem]) -> Paired:
    return paired([row.first for row in rows], [row.second for row in rows], [row.video for row in rows])


def _same(one: Item, other: Item, *, imported: bool) -> bool:
    """Whether two items ask the same question. An import has whole prompts, which must contain the questions."""
    return one.turns == other.turns or (imported and (_stands_in(one, other) or _stands_in(other, one)))


def _stands_in(one: Item, other: Item) -> bool:
    prompt = "\n".join(turn.question for turn in other.turns)
    return all(turn.question and turn.question in prompt for turn in one.turns)


def _said(subject: SubjectScores, item: Item) -> str:
    """The replies of the first prediction with the lowest score, and its key if there are several."""
    made = subject.predictions.get(item.id, ())
    if not made:
        return ""
    lowest = min(made, key=lambda one: subject.prediction_values[one.key] or 0.0)
    said = " / ".join(reply.text or reply.error or "" for reply in lowest.replies)
    return said if len(made) == 1 else f"{said} (lowest of {len(made)}: {lowest.variant}, seed {lowest.seed})"
