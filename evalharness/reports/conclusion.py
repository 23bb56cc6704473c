"""The conclusion of a report in words: who leads, by how much, and whether that is beyond chance."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.console import counted
from longtake.errors import ConfigError
from longtake.evalharness.reports.compare import compare
from longtake.evalharness.reports.run_scores import SubjectScores
from longtake.evalharness.scoring.estimates import CONFIDENCE, FEWEST_VIDEOS, Estimate, Paired


def conclude(subjects: Sequence[SubjectScores]) -> tuple[str, ...]:
    """One or two sentences about the two best subjects, or about the only one."""
    ranked = sorted(
        ((shown(subject), subject) for subject in subjects if shown(subject).value is not None),
        key=lambda pair: -(pair[0].value or 0.0),
    )
    if not ranked:
        return ("No subject has a score yet.",)
    (best, leader), *others = ranked
    if not others:
        return (f"{leader.name} scores {best} of 100 on {_extent(best)}.",)
    second, follower = others[0]
    gap = (best.value or 0.0) - (second.value or 0.0)
    if gap < 0.05:
        return (f"{leader.name} and {follower.name} lead, level at {best.value:.1f}.",)
    return (
        f"{leader.name} leads with {best.value:.1f}, {gap:.1f} points ahead of {follower.name} ({second.value:.1f}).",
        _by_item(leader, follower),
    )


def shown(subject: SubjectScores) -> Estimate:
    """The score that a subject is ranked by: its headline, or what all that was asked gives where that is withheld."""
    return subject.table.headline or subject.table.overall


def _extent(score: Estimate) -> str:
    return f"{counted(score.n, 'observation')} in {counted(score.videos, 'video')}"


def _by_item(leader: SubjectScores, follower: SubjectScores) -> str:
    """Whether the lead is beyond chance on the items that both have a score of."""
    try:
        pair = compare(leader, follower, (leader.name, follower.name)).paired
    except ConfigError:
        return "The two can't be compared item by item."
    difference = pair.difference
    if difference.value is None or pair.p_videos is None:
        return "The two have no item in common that is scored, so it isn't known whether the lead is chance."
    common = f"Item by item, over {counted(difference.n, 'item')} that both have a score of,"
    if difference.videos < FEWEST_VIDEOS:
        few = f"with fewer than {FEWEST_VIDEOS} videos, it can't be said whether that is chance"
        return f"{common} the difference is {difference.value:+z.1f} points; {few}."
    verdict = "beyond chance" if _beyond_chance(pair) else "not beyond chance"
    return (
        f"{common} the difference is {_signed(difference)} points, which is {verdict} "
        f"(p = {pair.p_videos:.2g} over {counted(difference.videos, 'video')})."
    )


def _beyond_chance(pair: Paired) -> bool:
    return (pair.difference.value or 0.0) > 0 and pair.p_videos is not None and pair.p_videos < 1 - CONFIDENCE


def _signed(difference: Estimate) -> str:
    if difference.low is None or difference.high is None:
        return f"{difference.value:+z.1f}"
    return f"{difference.value:+z.1f} [{difference.low:+z.1f}, {difference.high:+z.1f}]"
