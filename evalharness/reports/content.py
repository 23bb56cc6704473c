"""The content of a report before it becomes HTML or Markdown: tables of estimates, and plots with their tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longtake.console import counted
from longtake.evalharness.reports.behaviour import (
    STANCES,
    Stance,
    by_variant,
    cost,
    further_groups,
    score_of,
    stance,
)
from longtake.evalharness.reports.conclusion import conclude
from longtake.evalharness.reports.grid import Cell, Grid, Plot, Point, estimate
from longtake.evalharness.reports.joint_tables import by_frames, by_helps, people, people_and_models
from longtake.evalharness.reports.published_rows import beside_published
from longtake.evalharness.reports.run_scores import RunScores, SubjectScores
from longtake.evalharness.runs.run_folder import Loading, RunCard
from longtake.evalharness.scoring.choice_scores import Share
from longtake.evalharness.scoring.estimates import CONFIDENCE, FEWEST_VIDEOS, Estimate, Rows
from longtake.evalharness.scoring.rubric_scores import READING_WORDS
from longtake.evalharness.scoring.spending import in_words, money
from longtake.evalharness.suites.suite_table import suite_named

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
_PLAIN = "These scores are plain means over items."


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
    videos = len({item.video for item in run.items})
    named = next((item.suite for item in run.items), card.suite)  # an own set has a name
    several = len(suite_named(card.suite).readings) > 1
    whose = {
        "Scored": READING_WORDS[subjects[0].table.reading],
        "Protocol": "that of the paper" if card.protocol == "paper" else "that of the released code",
    }
    facts = {
        "Suite": card.suite,
        **(whose if several else {}),
        "Asked": f"{counted(len(run.items), 'item')} about {counted(videos, 'video')}",
        **_loading(run.loading),
        "Prompts": _prompts(card),
        **({"Variants": ", ".join(variant.name for variant in card.variants)} if len(card.variants) > 1 else {}),
        "Seeds": ", ".join(map(str, card.seeds)),
        "Judge": _judge(subjects),
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
    named: dict[str, list[str]] = {}
    for subject in subjects:
        for note in subject.table.notes:
            named.setdefault(note, []).append(subject.name)
    every = len(subjects) if len(subjects) > 1 else 0
    return tuple(note if len(names) == every else f"{', '.join(names)}: {note}" for note, names in named.items())


def _loading(held: Loading) -> dict[str, str]:
    """Problems found while loading the items."""
    if not held.remarks:
        return {}
    return {"Loading": f"{counted(held.remarks, 'remark')}, which `longtake eval doctor` tells; first: {held.first[0]}"}


def _prompts(card: RunCard) -> str:
    """How models were asked, and the hash of the templates."""
    prompts = card.variants[0].prompts
    if prompts is None:
        return "Longtake's"
    whose = f"those of {prompts.name}, reworded" if prompts.sources else prompts.name
    return f"{whose} ({prompts.hash})"


def _judge(subjects: Sequence[SubjectScores]) -> str:
    """The judge whose verdicts count."""
    found = (judgement for subject in subjects for held in subject.judgements.values() for judgement in held)
    return next((judgement.judge for judgement in found), "none")


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
                _plain(subject.table.excluded),
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


def _rate(rate: Share | None) -> str:
    return f"{100 * rate.value:.1f} % ({rate.count} of {rate.n})" if rate else "not known"


def _plain(value: Estimate) -> str:
    return f"{value} ({counted(value.n, 'observation')})"


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
