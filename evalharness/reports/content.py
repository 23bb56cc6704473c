"""The content of a report before it becomes HTML or Markdown: its conclusion, tables of estimates, and plots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from longtake.console import counted
from longtake.errors import ConfigError
from longtake.evalharness.reports.compare import compare
from longtake.evalharness.reports.grid import Cell, Grid, Plot, Point, estimate
from longtake.evalharness.reports.joint_tables import (
    STANCES,
    Stance,
    by_frames,
    by_helps,
    by_variant,
    cost,
    further_groups,
    people,
    people_and_models,
    score_of,
    stance,
)
from longtake.evalharness.reports.published_rows import beside_published
from longtake.evalharness.reports.run_scores import RunScores, SubjectScores
from longtake.evalharness.runs.run_folder import RunCard
from longtake.evalharness.scoring.choice_scores import CountedShare
from longtake.evalharness.scoring.estimates import CONFIDENCE, FEWEST_VIDEOS, Estimate, Rows, grouped
from longtake.evalharness.scoring.rubric_scores import READING_WORDS
from longtake.evalharness.scoring.spending import in_words, money
from longtake.evalharness.suites.suite_table import suite_named

_Ranked = Sequence[tuple[Estimate, SubjectScores]]
_ERRORS = "errors"  # the rate that every suite has
_MOST_DRAWN = 18  # rows of a table that are drawn as intervals; more are a heat map
_RATES = {  # as people read them
    "parse failures": "replies in which no option or call could be read",
    "empty replies": "empty replies",
    "unjudged": "replies or criteria without a verdict",
    "unsure": "verdicts that the judge wasn't sure of",
    "uncertain": "uncertain replies",
    "abstained": "abstentions",
    "refused": "refusals",
    "wrong": "calls of tools that the reference doesn't call",
    "superfluous": "more calls of a tool than the reference has",
    "missed": "calls of the reference that weren't made",
}
_SOURCES = {"paper": "the paper", "repo": "the released code"}
_PLAIN = "These scores are plain means over items."


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
        extent = f"{counted(best.n, 'observation')} in {counted(best.videos, 'video')}"
        return f"{leader.name} scores {best} of 100 on {extent}."
    second, follower = others[0]
    if not _apart(ranked):
        return f"{leader.name} and {follower.name} lead, level at {best.value:.1f}."
    gap = (best.value or 0.0) - (second.value or 0.0)
    return f"{leader.name} leads with {best.value:.1f}, {gap:.1f} points ahead of {follower.name} ({second.value:.1f})."


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
    verdict = "beyond chance" if difference.value > 0 and pair.p_videos < 1 - CONFIDENCE else "not beyond chance"
    signed = f"{difference.value:+z.1f}"
    if difference.low is not None and difference.high is not None:
        signed += f" [{difference.low:+z.1f}, {difference.high:+z.1f}]"
    return (
        f"{common} the difference is {signed} points, which is {verdict} "
        f"(p = {pair.p_videos:.2g} over {counted(difference.videos, 'video')})."
    )


@dataclass(frozen=True)
class Content:
    """A report without its items."""

    title: str
    conclusion: tuple[str, ...]
    facts: Mapping[str, str]
    headline: Grid
    faults: Grid | None
    published: tuple[Grid, ...]
    notes: tuple[str, ...]
    plots: tuple[Plot, ...]
    groups: tuple[Grid, ...]


def report_content(run: RunScores) -> Content:
    """What the report of a run says."""
    card, subjects = run.card, run.subjects
    videos, loading = len({item.video for item in run.items}), run.loading
    remarks = counted(loading.remarks, "remark")
    named = next((item.suite for item in run.items), card.suite)  # an own set has a name
    several = len(suite_named(card.suite).readings) > 1
    whose = {
        "Scored": READING_WORDS[subjects[0].table.reading],
        "Protocol": f"that of {_SOURCES[card.protocol]}",
    }
    facts = {
        "Suite": card.suite,
        **(whose if several else {}),
        "Asked": f"{counted(len(run.items), 'item')} about {counted(videos, 'video')}",
        **(
            {"Loading": f"{remarks}, which `longtake eval doctor` tells; first: {loading.first[0]}"}
            if loading.first
            else {}
        ),
        "Prompts": _prompts(card),
        **({"Variants": ", ".join(variant.name for variant in card.variants)} if len(card.variants) > 1 else {}),
        "Seeds": ", ".join(map(str, card.seeds)),
        "Judge": next((judge for subject in subjects if (judge := subject.judge)), "none"),
        "Cost": "; ".join(f"{one.name} {in_words(one.table.spent)}" for one in subjects),
        "Cost of judging": "; ".join(f"{one.name} {in_words(one.table.judging)}" for one in subjects),
        "Longtake": card.version,
    }
    correlations, beside_people = people_and_models(subjects)
    plots = (by_frames(subjects), *beside_people, _abstention(subjects), _cost(subjects))
    return Content(
        title=f"{named}: {', '.join(subject.name for subject in subjects)}",
        conclusion=conclude(subjects),
        facts=facts,
        headline=_headline(subjects),
        faults=_faults(subjects),
        published=beside_published(card, subjects),
        notes=_notes(subjects),
        plots=tuple(plot for plot in plots if plot),
        groups=(*filter(None, (people(subjects), correlations, by_helps(subjects))), *_groups(subjects)),
    )


def _notes(subjects: Sequence[SubjectScores]) -> tuple[str, ...]:
    """What is noted of subjects; once if it is of several, and without their names if it is of all."""
    named = grouped((note, subject.name) for subject in subjects for note in subject.table.notes)
    every = len(subjects) if len(subjects) > 1 else 0
    return tuple(note if len(names) == every else f"{', '.join(names)}: {note}" for note, names in named.items())


def _prompts(card: RunCard) -> str:
    """How models were asked, and the hash of the templates."""
    prompts = card.variants[0].prompts
    if prompts is None:
        return "Longtake's"
    whose = f"those of {_SOURCES[prompts.name]}, reworded" if prompts.sources else prompts.name
    return f"{whose} ({prompts.hash})"


def _headline(subjects: Sequence[SubjectScores]) -> Grid:
    """The headline of each subject, or its headlines where tests aren't pooled."""
    tests = tuple(dict.fromkeys(test for subject in subjects for test in subject.table.headlines))
    if tests:
        return Grid(
            "Headline scores, one for each test",
            ("Test", *(subject.name for subject in subjects)),
            tuple((test, *(estimate(subject.table.headlines.get(test)) for subject in subjects)) for test in tests),
            subjects_from=1,
        )
    return Grid(
        "Headline score",
        ("Subject", "Score", "Errors", "Score without failed items"),
        tuple(
            (
                subject.name,
                estimate(subject.table.headline),
                _rate(subject.table.rates.get(_ERRORS)),
                f"{subject.table.excluded} ({counted(subject.table.excluded.n, 'observation')})",
            )
            for subject in subjects
        ),
        f"Percent, with the {100 * CONFIDENCE:g} % confidence interval if there are {FEWEST_VIDEOS} or more videos. An "
        "error counts as a wrong answer.",
    )


def _faults(subjects: Sequence[SubjectScores]) -> Grid | None:
    """How often something went wrong, other than errors, by what it was."""
    shown = any(subject.table.headlines for subject in subjects)  # then the headline's table has no room for errors
    rates = dict.fromkeys(name for subject in subjects for name in subject.table.rates if shown or name != _ERRORS)
    rows = tuple(
        (_titled(_RATES.get(name, name)), *(_rate(subject.table.rates.get(name)) for subject in subjects))
        for name in rates
    )
    columns = ("Rate", *(subject.name for subject in subjects))
    return Grid("Failures, doubts and abstentions", columns, rows) if rows else None


def _titled(name: str) -> str:
    return name[:1].upper() + name[1:]


def _rate(rate: CountedShare | None) -> str:
    return f"{100 * rate.value:.1f} % ({rate.count} of {rate.n})" if rate else "not known"


def _groups(subjects: Sequence[SubjectScores]) -> Iterator[Grid]:
    variants = [by_variant(subject) for subject in subjects]
    if max(map(len, variants)) > 1:
        yield _group(
            "Robustness: each variant by itself",
            "variant",
            subjects,
            variants,
            f"{_PLAIN} An item whose right option is already in a variant's position counts only in the original.",
        )
    for tables, means in (
        ([subject.table.groups for subject in subjects], ""),
        ([further_groups(subject) for subject in subjects], _PLAIN),
    ):
        for name in dict.fromkeys(name for groups in tables for name in groups):
            kind, _, reading = name.partition(", ")
            told = f"{kind}, {READING_WORDS.get(reading, reading)}" if reading else name
            yield _group(f"By {told}", kind, subjects, [groups.get(name, {}) for groups in tables], means)


def _group(title: str, name: str, subjects: Sequence[SubjectScores], tables: Sequence[Rows], caption: str) -> Grid:
    names = dict.fromkeys(row for rows in tables for row in rows)
    largest = {row: max((rows[row] for rows in tables if row in rows), key=lambda one: one.n) for row in names}
    return Grid(
        title,
        (_titled(name), "n", *(subject.name for subject in subjects)),
        tuple(
            (row, f"{largest[row].n} / {largest[row].videos}", *(estimate(rows.get(row)) for rows in tables))
            for row in names
        ),
        f"n: observations / videos. {caption}".strip(),
        subjects_from=2,
        heat=len(names) > _MOST_DRAWN,
    )


def _abstention(subjects: Sequence[SubjectScores]) -> Plot | None:
    points: list[Point] = []
    rows: list[tuple[Cell, ...]] = []
    for series, subject in enumerate(subjects):
        parts: dict[Stance, list[str]] = {stance: [] for stance in STANCES}
        for item in subject.items:
            parts[stance(subject, item)].append(item)
        answered = score_of(subject, parts["answered"])
        wrong = sum(subject.values[item] == 0 for item in parts["answered"])
        share = 100 * len(parts["answered"]) / (len(subject.items) or 1)
        points.append(Point(series, subject.name, share, answered))
        rows.append(
            (
                subject.name,
                f"{len(parts['answered'])} ({share:.0f} %)",
                estimate(answered),
                str(wrong),
                str(len(parts["uncertain"])),
                estimate(score_of(subject, parts["uncertain"])),
                str(len(parts["abstained"])),
                estimate(score_of(subject, parts["abstained"])),
                str(len(parts["refused"])),
                str(len(parts["failed"])),
            )
        )
    if all(row[4] == row[6] == "0" for row in rows):
        return None
    columns = (
        *("Subject", "Answered", "Score of these", "Of them wholly wrong"),
        *("Uncertain", "Score of these", "Abstained", "Score of these", "Refused", "Failed"),
    )
    caption = f"A subject that is uncertain or abstains instead of answering wrongly is at the top left. {_PLAIN}"
    grid = Grid("", columns, tuple(rows), caption)
    return _plot("Abstention: what is answered, and how well", "Items answered, %", points, subjects, grid)


def _cost(subjects: Sequence[SubjectScores]) -> Plot | None:
    costs = [cost(subject) for subject in subjects]
    known = all(each.money is not None for each in costs)
    scores = [score_of(subject, subject.items) for subject in subjects]
    columns = ("Subject", "Seconds", "Tool calls", "Tokens", "Money", "Score")
    rows = [
        (subject.name, f"{c.seconds:.2f}", f"{c.calls:.1f}", f"{c.tokens:.0f}", money(c.money), estimate(score))
        for subject, c, score in zip(subjects, costs, scores, strict=True)
    ]
    name, places = next(
        (name, places)
        for name, places in (
            ("Money for an item", [each.money or 0.0 for each in costs] if known else []),
            ("Tokens for an item", [each.tokens for each in costs]),
            ("Seconds for an item", [round(each.seconds, 2) for each in costs]),
        )
        if any(places) or name.startswith("Seconds")
    )
    if not any(places):
        return None
    points = [Point(n, subjects[n].name, place, scores[n]) for n, place in enumerate(places)]
    return _plot(
        "Cost and score",
        name,
        points,
        subjects,
        Grid("", columns, tuple(rows), f"Costs are means over predictions. {_PLAIN}"),
    )


def _plot(title: str, axis: str, points: Sequence[Point], subjects: Sequence[SubjectScores], grid: Grid) -> Plot:
    return Plot(title, axis, tuple(points), tuple(subject.name for subject in subjects), grid)
