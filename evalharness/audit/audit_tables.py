"""The tables of audits, of one benchmark a row and of all together: those of Video-Oasis, and what guessing gives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import combinations

from longtake.evalharness.audit.audit_replies import short_name
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.categories import CATEGORIES
from longtake.evalharness.audit.consensus import flagged_by_any, overlap
from longtake.evalharness.audit.oracles import guessed, pair_name, right_by_either, with_spans
from longtake.evalharness.audit.review import WHY
from longtake.evalharness.reports.grid import Cell, Grid
from longtake.evalharness.scoring.estimates import Estimate, mean
from longtake.evalharness.views.grounded import Grounded
from longtake.evalharness.views.standard import Standard

States = Sequence[AuditState]
Items = Callable[[AuditState], Collection[str]]  # some items of an audit
Row = tuple[Cell, ...]


def audit_grids(states: States) -> Iterator[Grid]:
    """All tables for which these audits have something; shares are in percent."""
    tests = _names(states, lambda state: state.replies.tests)
    yield _consensus(states)
    yield _tests(states, tests)
    yield _filtering(states)
    yield from (_accuracy(states, view) for view in (Standard.name, *tests))
    yield _correlation(states, tests)
    if len(tests) > 1:
        yield _overlaps(states, tests)
    if grounded := [state for state in states if state.scores.grounded]:
        yield _grounding(grounded)
    if any(state.scores.either for state in states):
        yield _either(states)
    yield _review(states)
    if any(state.categories for state in states):
        yield _category_counts(states)
        yield _category_accuracy(states)
    yield from (_planted(state) for state in states if state.scores.planted)


def _consensus(states: States) -> Grid:
    levels = max((len(state.scores.shortcuts.consensus) for state in states), default=0)
    rows: list[Row] = []
    for name, some in _groups(states):
        for level in range(1, levels + 1):
            share = _share(some, partial(_shortcuts, level=level), _all)
            floors = [(state, state.scores.shortcuts.consensus.get(level)) for state in some]
            floor = sum(each.floor * len(state.replies.items) for state, each in floors if each) / max(1, share.n)
            count = sum(len(_shortcuts(state, level)) for state in some)
            rows.append((f"{name}, {level}", str(count), share, _plain(100 * floor)))
    return Grid(
        "Shortcuts by consensus",
        ("benchmark, consensus", "items", "found", "guessing"),
        tuple(rows),
        "Items that so many models of one test solve, and the share that independent guesses would flag.",
        subjects_from=2,
    )


def _tests(states: States, tests: Sequence[str]) -> Grid:
    totals = {
        test: [state.scores.shortcuts.tests[test] for state in states if test in state.replies.tests] for test in tests
    }
    alone = sum(each.unique for found in totals.values() for each in found)
    rows: list[Row] = []
    for test, found in totals.items():
        unique = sum(each.unique for each in found)
        total = sum(each.total for each in found)
        rows.append((test, str(total), str(unique), f"{100 * unique / alone:.1f}" if alone else "none"))
    columns = ("test", "total", "unique", "share of unique")
    return Grid("Shortcuts by test", columns, tuple(rows), "At full consensus; unique: flagged by no other test.")


def _filtering(states: States) -> Grid:
    models = _names(states, lambda state: state.replies.asked_in(Standard.name))
    rows: list[Row] = []
    for name, some in _groups(states):
        before = sum(len(state.replies.items) for state in some)
        after = sum(state.distilled.flow.remaining for state in some)
        gaps: list[Cell] = []
        shares: list[Cell] = []
        for model in models:
            both = [_right(some, Standard.name, model, among) for among in (_all, _remaining)]
            first, last = (cell.value if isinstance(cell, Estimate) else None for cell in both)
            gaps.append("none" if first is None or last is None else f"{first - last:.1f}")
            shares += both
        removed = f"{100 * (before - after) / before:.1f}" if before else "none"
        rows.append((name, str(before), str(after), removed, *gaps, *shares))
    columns = (
        *("benchmark", "original", "remaining", "removed %"),
        *(f"{short_name(model)}: gap" for model in models),
        *(f"{short_name(model)}: {when}" for model in models for when in ("before", "after")),
    )
    caption = (
        "Accuracy with the whole video on all items and on those that remain, which these models helped to choose."
    )
    return Grid("Before and after", columns, tuple(rows), caption, subjects_from=4 + len(models))


def _accuracy(states: States, view: str) -> Grid:
    models = _names(states, lambda state: state.replies.asked_in(view))
    rows: list[Row] = []
    for name, some in _groups(states):
        cells = [_right(some, view, model, _all) for model in models]
        rows.append((name, *cells, _plain(_chance(some))))
    title = f"Accuracy: {view}"
    return Grid(title, ("benchmark", *map(short_name, models), "chance"), tuple(rows), "Errors count as wrong.", 1)


def _correlation(states: States, tests: Sequence[str]) -> Grid:
    models = _names(states, lambda state: state.replies.asked_in(Standard.name))
    rows: list[Row] = [
        (short_name(model), *(_right(states, Standard.name, model, partial(_flagged, test=test)) for test in tests))
        for model in models
    ]
    return Grid(
        "Shortcuts that are solved with the whole video",
        ("model", *tests),
        tuple(rows),
        "Of those of a test at full consensus. The paper uses models that took no part in finding them.",
        subjects_from=1,
    )


def _overlaps(states: States, tests: Sequence[str]) -> Grid:
    flagged = {
        test: {
            f"{number}/{item}"
            for number, state in enumerate(states)
            for item in state.scores.shortcuts.flagged_by(test)
        }
        for test in tests
    }
    rows: list[Row] = []
    for one in tests:
        found = (overlap(flagged[one], flagged[other]) for other in tests)
        rows.append((one, *(f"{100 * each.of_first:.0f} / {100 * each.jaccard:.0f}" for each in found)))
    caption = "Of the items that the test of the row flags, the share that the other flags too / Jaccard index."
    return Grid("Overlap of tests", ("test", *tests), tuple(rows), caption)


def _grounding(states: States) -> Grid:
    groups = {**_remaining_groups(states), "shortcuts": lambda state: state.scores.shortcuts.flagged}
    rows: list[Row] = []
    for model in _names(states, lambda state: state.replies.asked_in(Grounded.name)):
        for name, view in (("", Standard.name), (", spans only", Grounded.name)):
            cells = [_right(states, view, model, partial(_spanned, among=among)) for among in groups.values()]
            rows.append((f"{short_name(model)}{name}", *cells))
    caption = "Items that say which part of the video shows the answer, with the whole video and with that part alone."
    return Grid("Oracle of temporal grounding", ("model", *groups), tuple(rows), caption, subjects_from=1)


def _either(states: States) -> Grid:
    groups = _remaining_groups(states)
    rows: list[Row] = []
    for pair in combinations(_names(states, lambda state: state.replies.asked_in(Standard.name)), 2):
        both = [state for state in states if all(state.replies.choices(Standard.name, model) for model in pair)]
        cells = [_share(both, partial(_by_either, pair=pair), among) for among in groups.values()]
        remaining = [(guessed(_remaining(state), state.replies), len(_remaining(state))) for state in both]
        floor = sum(share * count for share, count in remaining) / max(1, sum(count for _, count in remaining))
        rows.append((pair_name(*pair), *(cell if cell.n else "none" for cell in cells), _plain(100 * floor)))
    caption = "Remaining items that one of two models gets right with the whole video, such as two modes of one model."
    return Grid("Oracle of two models", ("models", *groups, "guessing"), tuple(rows), caption, subjects_from=1)


def _review(states: States) -> Grid:
    flows = [state.distilled.flow for state in states]
    rows: list[Row] = []
    for reason, why in WHY.items():
        acted = sum(flow.restored if reason == "order-free" else flow.acted_on.get(reason, 0) for flow in flows)
        flagged, done = (
            sum(counts.get(reason, 0) for counts in each)
            for each in ([flow.flagged for flow in flows], [flow.reviewed for flow in flows])
        )
        rows.append((reason, str(flagged), str(done), str(acted), why))
    caption = "Acted on: dropped or set aside; of those that only shuffling flags: restored."
    return Grid("Review", ("check", "flagged", "reviewed", "acted on", ""), tuple(rows), caption)


def _category_counts(states: States) -> Grid:
    rows: list[Row] = []
    for name, some in _groups(states):
        counts = [sum(len(_of_category(state, category)) for state in some) for category in CATEGORIES]
        rows.append((name, *map(str, counts), str(sum(counts))))
    return Grid("Remaining items by category", ("benchmark", *CATEGORIES, "total"), tuple(rows))


def _category_accuracy(states: States) -> Grid:
    models = _names(states, lambda state: state.replies.asked_in(Standard.name))
    rows: list[Row] = []
    for model in models:
        some: list[Items] = [*(partial(_of_category, category=category) for category in CATEGORIES), _categorised]
        rows.append((short_name(model), *(_right(states, Standard.name, model, among) for among in some)))
    caption = "With the whole video, on remaining items with a category; overall: of all these items together."
    return Grid("Accuracy by category", ("model", *CATEGORIES, "overall"), tuple(rows), caption)


def _planted(state: AuditState) -> Grid:
    rows: list[Row] = [
        (
            test,
            str(known.planted),
            str(known.flagged),
            str(known.found),
            *map(_percent, (known.precision, known.guessed_precision, known.recall, known.guessed_recall)),
        )
        for test, known in state.scores.planted.items()
    ]
    columns = ("test", "planted", "flagged", "found", "precision", "of guessing", "recall", "of guessing")
    caption = "At full consensus, against the shortcuts that the items say they have."
    return Grid(f"Known shortcuts of {state.name}", columns, tuple(rows), caption)


def _groups(states: States) -> list[tuple[str, States]]:
    """The rows of a table: each benchmark, and all together if there are several."""
    each: list[tuple[str, States]] = [(state.name, [state]) for state in states]
    return [*each, ("total", states)] if len(each) > 1 else each


def _names(states: States, of: Callable[[AuditState], Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for state in states for name in of(state)))


def _share(states: States, hits: Items, among: Items) -> Estimate:
    """The share of hits among some items; items of one video aren't independent."""
    values: list[float] = []
    videos: list[str] = []
    for number, state in enumerate(states):
        found = set(hits(state))
        for name in among(state):
            values.append(float(name in found))
            videos.append(f"{number}/{state.replies.items[name].video}")
    return mean(values, videos)


def _all(state: AuditState) -> Collection[str]:
    return state.replies.items


def _shortcuts(state: AuditState, level: int) -> set[str]:
    return flagged_by_any(state.replies.solved, level)


def _right(states: States, view: str, model: str, among: Items) -> Cell:
    """The share of some items that a model got right, where it was asked."""
    asked = [state for state in states if state.replies.choices(view, model)]
    share = _share(asked, lambda state: state.replies.right(view, model), among)
    return "none" if share.value is None else share


def _flagged(state: AuditState, test: str) -> Collection[str]:
    return state.scores.shortcuts.flagged_by(test)


def _remaining(state: AuditState) -> Collection[str]:
    gone = {removed.item for removed in state.distilled.removed}
    return [name for name in state.replies.items if name not in gone]


def _remaining_groups(states: States) -> dict[str, Items]:
    """What remains, by category if there are some, and all of it."""
    named = CATEGORIES if any(state.categories for state in states) else ()
    return {**{category: partial(_of_category, category=category) for category in named}, "remaining": _remaining}


def _spanned(state: AuditState, among: Items) -> Collection[str]:
    known = with_spans(state.replies)
    return [name for name in among(state) if name in known]


def _by_either(state: AuditState, pair: tuple[str, str]) -> Collection[str]:
    return right_by_either(state.replies, *pair)


def _categorised(state: AuditState) -> Collection[str]:
    return [name for name in _remaining(state) if name in state.categories]


def _of_category(state: AuditState, category: str) -> Collection[str]:
    return [name for name in _categorised(state) if state.categories[name] == category]


def _chance(states: States) -> float:
    chances = [1 / len(item.turns[0].options) for state in states for item in state.replies.items.values()]
    return 100 * sum(chances) / max(1, len(chances))


def _plain(value: float) -> Estimate:
    """A figure that isn't estimated from items."""
    return Estimate(value=round(value, 4), low=None, high=None, error=None, n=0, videos=0)


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.1f}"
