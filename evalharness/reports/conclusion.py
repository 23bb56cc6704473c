"""The conclusion of a report in words: who leads, by how much, and whether that is beyond chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longtake.console import counted
from longtake.errors import ConfigError
from longtake.evalharness.reports.compare import compare
from longtake.evalharness.reports.run_scores import SubjectScores
from longtake.evalharness.scoring.estimates import CONFIDENCE, FEWEST_VIDEOS, Estimate, Paired

_Ranked = Sequence[tuple[Estimate, SubjectScores]]


def conclude(subjects: Sequence[SubjectScores]) -> tuple[str, ...]:
    """Who leads, in each test if they aren't pooled, and who isn't ranked and why."""
    tests = dict.fromkeys(test for subject in subjects for test in subject.table.headlines)
    if tests:
        rankings = {test: _ranked((one.table.headlines.get(test), one) for one in subjects) for test in tests}
        said = [f"{test}: {_leader(ranked)}" for test, ranked in rankings.items() if ranked]
    else:
        ranked = _ranked((one.table.headline, one) for one in subjects)
        said = [_leader(ranked)] if ranked else ["No subject has a score to be ranked by."]
        said += [_by_item(ranked[0][1], ranked[1][1])] if _apart(ranked) else []
    return (*said, *(f"{one.name} isn't ranked: {one.table.unranked}" for one in subjects if one.table.unranked))


def _ranked(scored: Iterable[tuple[Estimate | None, SubjectScores]]) -> _Ranked:
    """Those with a score, best first."""
    held = [(score, subject) for score, subject in scored if score is not None and score.value is not None]
    return sorted(held, key=lambda pair: -(pair[0].value or 0.0))


def _apart(ranked: _Ranked) -> bool:
    """Whether there is a second, and one decimal shows its distance."""
    return len(ranked) > 1 and (ranked[0][0].value or 0.0) - (ranked[1][0].value or 0.0) >= 0.05


def _leader(ranked: _Ranked) -> str:
    """A sentence about the two best, or about the only one."""
    (best, leader), *others = ranked
    if not others:
        return f"{leader.name} scores {best} of 100 on {_extent(best)}."
    second, follower = others[0]
    if not _apart(ranked):
        return f"{leader.name} and {follower.name} lead, level at {best.value:.1f}."
    gap = (best.value or 0.0) - (second.value or 0.0)
    return f"{leader.name} leads with {best.value:.1f}, {gap:.1f} points ahead of {follower.name} ({second.value:.1f})."


def _extent(score: Estimate) -> str:
    return f"{counted(score.n, 'observation')} in {counted(score.videos, 'video')}"


def _by_item(leader: SubjectScores, follower: SubjectScores) -> str:
    """Whether the lead is beyond chance on the items scored for both."""
    try:
        pair = compare(leader, follower, (leader.name, follower.name)).paired
    except ConfigError:
        return "The two can't be compared item by item."
    difference = pair.difference
    if difference.value is None or pair.p_videos is None:
        return "The two have no item in common that is scored, so it isn't known whether the lead is chance."
    common = f"Item by item, over {counted(difference.n, 'item')} scored for both,"
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
