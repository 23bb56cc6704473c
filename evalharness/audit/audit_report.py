"""The tables of audits, of one benchmark a row and of all together: those of Video-Oasis, and what guessing gives.

They are written as a page with plots, as Markdown, and each as CSV.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

from longtake.console import counted
from longtake.errors import ConfigError, did_you_mean
from longtake.evalharness.audit.audit_replies import short_name
from longtake.evalharness.audit.audit_scores import guessed, pair_name, right_by_either, with_spans
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.cells import (
    NOTHING,
    Items,
    Row,
    States,
    by_category,
    every,
    groups,
    models_of,
    names,
    percent,
    percent_of,
    pooled,
    remaining,
    remaining_grids,
    right,
    share,
)
from longtake.evalharness.audit.consensus import flagged_by_any, overlap
from longtake.evalharness.audit.models import FRAME_TESTS, TEXT_TESTS
from longtake.evalharness.audit.review import WHY
from longtake.evalharness.items import Item
from longtake.evalharness.reports.document import grids_markdown, write_pieces
from longtake.evalharness.reports.grid import Cell, Grid, Plot, Point
from longtake.evalharness.reports.published_rows import published
from longtake.evalharness.reports.template import page
from longtake.evalharness.scoring.estimates import Estimate, pearson, plain
from longtake.evalharness.suites.benchmark_rows import csv_text
from longtake.evalharness.views.frame_views import Grounded, KeyframeView, Standard, Uniform

TaskGroups = Mapping[str, Sequence[str]]  # benchmarks by the name of their group


def audit_grids(states: States, tasks: TaskGroups | None = None) -> Iterator[Grid]:
    """All tables for which these audits have something; shares are in percent.

    Raises:
        ConfigError: if a group names a benchmark that none of them is of.
    """
    tests = names(states, lambda state: state.replies.tests)
    yield _consensus(states)
    if tasks:
        yield _task_groups(states, tasks)
    yield _tests(states, tests)
    seen = models_of(states)
    yield from (_accuracy(states, view) for view in ((Standard.name, *tests) if seen else tests))
    if seen:
        yield _correlation(states, tests)
    if len(tests) > 1:
        yield _overlaps(states, tests)
    yield from _model_sets(states)
    yield from remaining_grids(states)
    if grounded := [state for state in states if state.scores.grounded]:
        yield _grounding(grounded)
    if chosen := [state for state in states if state.replies.asked_in(KeyframeView.name)]:
        yield _chosen_frames(chosen)
    if any(state.scores.either for state in states):
        yield _either(states)
    yield _review(states)
    yield from (_planted(state) for state in states if state.scores.planted)


def _consensus(states: States) -> Grid:
    rows: list[Row] = []
    for name, some in groups(states):
        for level in range(1, _levels(states) + 1):
            found = share(some, partial(_shortcuts, level=level), every)
            floors = [(state, state.scores.shortcuts.consensus.get(level)) for state in some]
            floor = sum(each.floor * len(state.replies.items) for state, each in floors if each) / max(1, found.n)
            count = sum(len(_shortcuts(state, level)) for state in some)
            rows.append((f"{name}, {level}", str(count), found, plain(100 * floor)))
    return Grid(
        "Shortcuts by consensus",
        ("benchmark, consensus", "items", "found", "guessing"),
        tuple(rows),
        "Items that so many models of one test solve, and the share that independent guesses would flag.",
        subjects_from=2,
    )


def _task_groups(states: States, tasks: TaskGroups) -> Grid:
    known = names(states, lambda state: (state.name,))
    for benchmark in (each for members in tasks.values() for each in members):
        if benchmark not in known:
            raise ConfigError(f"No audit is of {benchmark!r}. {did_you_mean(benchmark, known)}")
    members = [[state for state in states if state.name in benchmarks] for benchmarks in tasks.values()]
    rows: list[Row] = [
        (str(level), *(share(some, partial(_shortcuts, level=level), every) for some in members))
        for level in range(1, _levels(states) + 1)
    ]
    caption = "Items that at least so many models of one test solve."
    return Grid("Shortcuts by task group", ("consensus", *tasks), tuple(rows), caption, subjects_from=1)


def _levels(states: States) -> int:
    """The most models that a test has."""
    return max((len(state.scores.shortcuts.consensus) for state in states), default=0)


def _tests(states: States, tests: Sequence[str]) -> Grid:
    totals = {
        test: [state.scores.shortcuts.tests[test] for state in states if test in state.replies.tests] for test in tests
    }
    alone = sum(each.unique for found in totals.values() for each in found)
    rows: list[Row] = []
    for test, found in totals.items():
        unique = sum(each.unique for each in found)
        total = sum(each.total for each in found)
        rows.append((test, str(total), str(unique), percent(unique, alone)))
    columns = ("test", "total", "unique", "share of unique")
    caption = f"At consensus {_counting(states)}; unique: flagged by no other test."
    return Grid("Shortcuts by test", columns, tuple(rows), caption)


def _counting(states: States) -> str:
    """The consensus that counts."""
    return ", ".join(names(states, lambda state: (str(state.scores.shortcuts.level),)))


def _accuracy(states: States, view: str) -> Grid:
    models = models_of(states, view)
    rows: list[Row] = []
    for name, some in groups(states):
        asked = [item for state in some for item in _asked(state, view)]
        chances = [1 / len(item.turns[0].options) for item in asked]
        chance = plain(100 * sum(chances) / len(chances)) if chances else NOTHING
        rows.append((name, str(len(asked)), *(right(some, view, model, every) for model in models), chance))
    columns = ("benchmark", "items", *map(short_name, models), "chance")
    caption = "Over the items of which there is something to show; errors count as wrong."
    return Grid(f"Accuracy: {view}", columns, tuple(rows), caption, subjects_from=2)


def _asked(state: AuditState, view: str) -> Sequence[Item]:
    """The items that somebody was asked in a view which has something to show of them."""
    if not any(state.replies.choices(view, model) for model in state.replies.asked_in(view)):
        return []
    return [state.replies.items[name] for name in state.replies.askable(view)]


def _correlation(states: States, tests: Sequence[str]) -> Grid:
    took_part = {model for test in tests for model in models_of(states, test)}
    rows: list[Row] = [
        (
            short_name(model),
            "yes" if model in took_part else "no",
            *(right(states, Standard.name, model, partial(_flagged_by, test)) for test in tests),
        )
        for model in models_of(states)
    ]
    return Grid(
        "Shortcuts that are solved with the whole video",
        ("model", "of a test", *tests),
        tuple(rows),
        f"Of those of a test at consensus {_counting(states)}. The paper's correlation rate is of models of no test.",
        subjects_from=2,
    )


def _overlaps(states: States, tests: Sequence[str]) -> Grid:
    flagged = {test: pooled(states, partial(_flagged_by, test)) for test in tests}
    rows: list[Row] = []
    for one in tests:
        found = (overlap(flagged[one], flagged[other]) for other in tests)
        rows.append((one, *(f"{percent_of(each.of_first)} / {percent_of(each.jaccard)}" for each in found)))
    caption = "Of the items that the test of the row flags, the share that the other flags too / Jaccard index."
    return Grid("Overlap of tests", ("test", *tests), tuple(rows), caption)


def _model_sets(states: States) -> Iterator[Grid]:
    """For tests with more models than must agree: the shortcuts of each set of so many, beside those of the first."""
    level = max(state.scores.shortcuts.level for state in states)
    for kind, tests in (("text", TEXT_TESTS), ("frames", FRAME_TESTS)):
        models = tuple(dict.fromkeys(model for test in tests for model in models_of(states, test)))
        if not 0 < level < len(models):
            continue
        found = {chosen: _solved_by_all(states, tests, chosen) for chosen in combinations(models, level)}
        first = next(iter(found.values()))
        rows: list[Row] = []
        for chosen, flagged in found.items():
            both = overlap(first, flagged)
            shares = map(percent_of, (both.of_first, both.of_second, both.jaccard))
            rows.append((", ".join(map(short_name, chosen)), str(both.second), str(both.both), *shares))
        columns = ("models", "shortcuts", "also of the first", "of the first %", "of these %", "Jaccard %")
        caption = f"Shortcuts in {', '.join(tests)} if only these models were asked, beside those of the first set."
        yield Grid(f"Model sets: {kind}", columns, tuple(rows), caption)


def _solved_by_all(states: States, tests: Sequence[str], models: Sequence[str]) -> set[str]:
    return {
        f"{number}/{item}"
        for number, state in enumerate(states)
        for test in tests
        for item in set.intersection(*(state.replies.right(test, model) for model in models))
    }


def _grounding(states: States) -> Grid:
    some = {**_remaining_groups(states), "shortcuts": lambda state: state.scores.shortcuts.flagged}
    rows: list[Row] = []
    for model in models_of(states, Grounded.name):
        for name, view in (("", Standard.name), (", spans only", Grounded.name)):
            cells = [right(states, view, model, partial(_spanned, among=among)) for among in some.values()]
            rows.append((f"{short_name(model)}{name}", *cells))
    caption = "Items that say which part of the video shows the answer, with the whole video and with that part alone."
    return Grid("Oracle of temporal grounding", ("model", *some), tuple(rows), caption, subjects_from=1)


def _chosen_frames(states: States) -> Grid:
    some = _remaining_groups(states)
    ways = ((Uniform.name, "spread evenly"), (KeyframeView.name, "chosen"))
    rows: list[Row] = [
        (f"{short_name(model)}, {name}", *(right(states, view, model, among) for among in some.values()))
        for model in models_of(states, KeyframeView.name)
        for view, name in ways
    ]
    caption = "Remaining items with sixteen frames, spread evenly or chosen for the question (AKS)."
    return Grid("Temporal grounding", ("model, frames", *some), tuple(rows), caption, subjects_from=1)


def _either(states: States) -> Grid:
    some = _remaining_groups(states)
    rows: list[Row] = []
    for pair in combinations(models_of(states), 2):
        both = [state for state in states if all(state.replies.choices(Standard.name, model) for model in pair)]
        cells = [share(both, partial(_by_either, pair), among) for among in some.values()]
        left = [(guessed(state.remaining, state.replies), len(state.remaining)) for state in both]
        floor = sum(each * count for each, count in left) / max(1, sum(count for _, count in left))
        rows.append((pair_name(*pair), *(cell if cell.n else NOTHING for cell in cells), plain(100 * floor)))
    caption = "Remaining items that one of two models gets right with the whole video, such as two modes of one model."
    return Grid("Oracle of two models", ("models", *some, "guessing"), tuple(rows), caption, subjects_from=1)


def _review(states: States) -> Grid:
    flows = [state.distilled.flow for state in states]
    rows: list[Row] = []
    for reason, why in WHY.items():
        acted = sum(flow.restored if reason == "order-free" else flow.acted_on.get(reason, 0) for flow in flows)
        flagged = sum(flow.flagged.get(reason, 0) for flow in flows)
        done = sum(flow.reviewed.get(reason, 0) for flow in flows)
        rows.append((reason, str(flagged), str(done), str(acted), why))
    caption = (
        "Acted on: dropped or set aside; of those that only shuffling flags: restored. An item that several checks "
        "flag counts for each, and what was done about it for the first."
    )
    return Grid("Review", ("check", "flagged", "reviewed", "acted on", ""), tuple(rows), caption)


def _planted(state: AuditState) -> Grid:
    rows: list[Row] = [
        (
            test,
            str(known.planted),
            str(known.flagged),
            str(known.found),
            *map(percent_of, (known.precision, known.guessed_precision, known.recall, known.guessed_recall)),
        )
        for test, known in state.scores.planted.items()
    ]
    columns = ("test", "planted", "flagged", "found", "precision", "of guessing", "recall", "of guessing")
    caption = f"At consensus {_counting([state])}, against the shortcuts that the items say they have."
    return Grid(f"Known shortcuts of {state.name}", columns, tuple(rows), caption)


def _shortcuts(state: AuditState, level: int) -> set[str]:
    return flagged_by_any(state.replies.solved, level)


def _flagged_by(test: str, state: AuditState) -> set[str]:
    return state.scores.shortcuts.flagged_by(test)


def _by_either(pair: tuple[str, str], state: AuditState) -> Collection[str]:
    return right_by_either(state.replies, *pair)


def _remaining_groups(states: States) -> dict[str, Items]:
    """What remains, by category if there are some, and all of it."""
    return {**by_category(states), "remaining": remaining}


def _spanned(state: AuditState, among: Items) -> Collection[str]:
    known = with_spans(state.replies)
    return [name for name in among(state) if name in known]


def shortcut_plot(states: States) -> Plot | None:
    """Each model of these audits on each benchmark, beside the benchmarks of the paper; None without a model."""
    models = models_of(states)
    printed = published()["video-oasis"]
    named = {f"published: {printed.source}": [(name, row[1], plain(row[0])) for name, row in printed.rows.items()]}
    for model in models:
        named[short_name(model)] = [
            (state.name, 100 * state.distilled.flow.removed / state.distilled.flow.items, found)
            for state in states
            if isinstance(found := right([state], Standard.name, model, every), Estimate)
        ]
    points = [Point(place, *each) for place, held in enumerate(named.values()) for each in held]
    rows = tuple((who, name, f"{gone:.1f}", found) for who, held in named.items() for name, gone, found in held)
    known = {who: pearson([(gone, found.value or 0.0) for _, gone, found in held]) for who, held in named.items()}
    caption = ", ".join(f"{who} {r:.2f}" for who, r in known.items() if r is not None)
    grid = Grid("", ("Whose", "Benchmark", "Removed %", "Accuracy"), rows, f"Pearson's r: {caption}.")
    return Plot("Shortcuts and accuracy", "Items removed, %", tuple(points), tuple(named), grid) if models else None


def write_report(states: Sequence[AuditState], folder: Path, tasks: TaskGroups) -> list[Path]:
    """Write `audit.html`, `audit.md` and a CSV file for each table.

    Raises:
        ConfigError: if a group of tasks names a benchmark that none of the audits is of.
        LibraryError: if one can't be written.
    """
    grids = list(audit_grids(states, tasks))
    plots = [plot for plot in [shortcut_plot(states)] if plot]
    tables = [*grids, *(plot.table for plot in plots)]
    title = f"Audit of {', '.join(state.name for state in states)}"
    sentences = [_sentence(state) for state in states]
    files: dict[Path, Iterable[str]] = {
        folder / "audit.html": page(
            "tables.html", title=title, sentences=sentences, grids=grids, plots=plots, drawn=True
        ),
        folder / "audit.md": [grids_markdown(title, sentences, tables)],
    }
    for grid in tables:
        name = re.sub(r"[^a-z0-9]+", "-", grid.title.lower()).strip("-")
        files[folder / "tables" / f"{name}.csv"] = [csv_text([grid.columns, *(map(_value, row) for row in grid.rows)])]
    for file, pieces in files.items():
        write_pieces(file, pieces)
    return list(files)


def _sentence(state: AuditState) -> str:
    flow = state.distilled.flow
    return (
        f"{state.name}: {counted(flow.items, 'item')}, asked of {', '.join(map(short_name, state.replies.subjects))}; "
        f"{flow.removed} go, {flow.remaining} remain, {flow.waiting} wait for review"
    )


def _value(cell: Cell) -> str:
    """A figure without its interval, which a spreadsheet wouldn't read."""
    if not isinstance(cell, Estimate):
        return cell
    return "" if cell.value is None else f"{cell.value:.2f}"
