"""What the tables of audits are made of, and those about what remains: how hard it is, its categories and lengths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from longtake.evalharness.audit.audit_replies import short_name
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.consensus import overlap
from longtake.evalharness.audit.models import FRAME_TESTS
from longtake.evalharness.reports.grid import Cell, Grid
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.scoring.estimates import Estimate, Observation, ratio
from longtake.evalharness.views.frame_views import Standard

States = Sequence[AuditState]
Items = Callable[[AuditState], Collection[str]]  # some items of an audit
Row = tuple[Cell, ...]
NOTHING = "-"  # where nothing was asked
_LENGTHS = {"up to 15 seconds": 15.0, "up to 1 minute": 60.0, "up to 10 minutes": 600.0, "longer": float("inf")}
_LETTERS = 4  # right options with a column of their own


def groups(states: States) -> list[tuple[str, States]]:
    """The rows of a table: each benchmark, and all together if there are several."""
    each: list[tuple[str, States]] = [(state.name, [state]) for state in states]
    return [*each, ("total", states)] if len(each) > 1 else each


def names(states: States, of: Callable[[AuditState], Sequence[str]]) -> tuple[str, ...]:
    """Names that audits have, each once."""
    return tuple(dict.fromkeys(name for state in states for name in of(state)))


def models_of(states: States, view: str = Standard.name) -> tuple[str, ...]:
    """The models that were asked in a view."""
    return names(states, lambda state: state.replies.asked_in(view))


def share(states: States, hits: Items, among: Items) -> Estimate:
    """The share of hits among some items; items of one video aren't independent."""
    return ratio(
        Observation(float(name in found), 1.0, f"{number}/{state.replies.items[name].video}")
        for number, state in enumerate(states)
        for found in [set(hits(state))]
        for name in among(state)
    )


def right(states: States, view: str, model: str, among: Items) -> Cell:
    """The share of some items that a model got right, where it was asked and the view has something to show."""
    asked = [state for state in states if state.replies.choices(view, model)]

    def shown(state: AuditState) -> Collection[str]:
        askable = set(state.replies.askable(view))
        return [name for name in among(state) if name in askable]

    found = share(asked, lambda state: state.replies.right(view, model), shown)
    return NOTHING if found.value is None else found


def every(state: AuditState) -> Collection[str]:
    """All items of an audit."""
    return state.replies.items


def remaining(state: AuditState) -> Collection[str]:
    """The items that remain."""
    return state.remaining


def categorised(state: AuditState) -> Collection[str]:
    """Remaining items with a category."""
    return [name for name in state.remaining if name in state.categories]


def of_category(state: AuditState, category: str) -> Collection[str]:
    """Remaining items of a category."""
    return [name for name in categorised(state) if state.categories[name] == category]


def by_category(states: States) -> Mapping[str, Items]:
    """The remaining items of each category that audits have; nothing if no item has one."""
    if not any(state.categories for state in states):
        return {}
    named = names(states, lambda state: tuple(state.votes.categories))
    return {category: partial(of_category, category=category) for category in named}


def pooled(states: States, some: Items) -> set[str]:
    """Some items of all audits, each with the number of its audit."""
    return {f"{number}/{item}" for number, state in enumerate(states) for item in some(state)}


def percent_of(share: float | None) -> str:
    """A share from 0 to 1 in percent."""
    return NOTHING if share is None else f"{100 * share:.1f}"


def percent(part: float, whole: float) -> str:
    """A share of counts in percent."""
    return f"{100 * part / whole:.1f}" if whole else NOTHING


def remaining_grids(states: States) -> Iterator[Grid]:
    """Those for which these audits have something."""
    yield _filtering(states)
    if models_of(states):
        yield _difficulty(states)
    yield _lengths(states)
    yield _right_options(states)
    if any(state.categories for state in states):
        yield _category_counts(states)
        yield _category_accuracy(states)


def _filtering(states: States) -> Grid:
    models = models_of(states)
    rows: list[Row] = []
    for name, some in groups(states):
        before = sum(len(state.replies.items) for state in some)
        after = sum(len(state.remaining) for state in some)
        gaps: list[Cell] = []
        shares: list[Cell] = []
        for model in models:
            both = [right(some, Standard.name, model, among) for among in (every, remaining)]
            first, last = (cell.value if isinstance(cell, Estimate) else None for cell in both)
            gaps.append(NOTHING if first is None or last is None else f"{first - last:.1f}")
            shares += both
        rows.append((name, str(before), str(after), percent(before - after, before), *gaps, *shares))
    columns = (
        *("benchmark", "original", "remaining", "removed %"),
        *(f"{short_name(model)}: gap" for model in models),
        *(f"{short_name(model)}: {when}" for model in models for when in ("before", "after")),
    )
    caption = (
        "Accuracy with the whole video on all items and on those that remain, which the models of the tests helped to "
        "choose."
    )
    return Grid("Before and after", columns, tuple(rows), caption, subjects_from=4 + len(models))


def _difficulty(states: States) -> Grid:
    rows: list[Row] = []
    for name, some in groups(states):
        wrong, left = pooled(some, _all_wrong), pooled(some, remaining)
        both = overlap(left, wrong)
        shares = map(percent_of, (both.of_first, both.of_second, both.jaccard))
        rows.append((name, str(len(wrong)), str(len(left)), str(both.both), *shares))
    columns = ("benchmark", "all wrong", "remaining", "both", "of remaining %", "of all wrong %", "Jaccard %")
    caption = (
        "Items that all models of the frame tests, or else all models, get wrong with the whole video, and those that "
        "remain: leaving out what is easy would keep the first."
    )
    return Grid("Beyond difficulty", columns, tuple(rows), caption)


def _all_wrong(state: AuditState) -> Collection[str]:
    replies = state.replies
    whole = [model for model in replies.asked_in(Standard.name) if replies.choices(Standard.name, model)]
    models = [model for model in whole if any(model in replies.asked_in(test) for test in FRAME_TESTS)] or whole
    solved = set[str]().union(*(replies.right(Standard.name, model) for model in models))
    return [name for name in replies.askable(Standard.name) if name not in solved] if models else []


def _lengths(states: States) -> Grid:
    rows: list[Row] = []
    for name, some in groups(states):
        seconds = {
            f"{number}/{item.video}": item.seconds
            for number, state in enumerate(some)
            for item in map(state.replies.items.__getitem__, state.remaining)
        }
        counts = Counter(map(_length, seconds.values()))
        told = (f"{counts[length]} ({percent(counts[length], len(seconds))})" for length in (*_LENGTHS, "unknown"))
        rows.append((name, *told, str(len(seconds))))
    columns = ("benchmark", *_LENGTHS, "unknown", "videos")
    return Grid("Remaining videos by length", columns, tuple(rows), "Videos of remaining items, and their share in %.")


def _length(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    return next(name for name, most in _LENGTHS.items() if seconds <= most)


def _right_options(states: States) -> Grid:
    rows: list[Row] = []
    for name, among in (*by_category(states).items(), ("overall", remaining)):
        golds = [state.replies.gold(item) for state in states for item in among(state)]
        letters = Counter(gold if gold is not None and gold < _LETTERS else _LETTERS for gold in golds)
        rows.append((name, *(percent(letters[place], len(golds)) for place in range(_LETTERS + 1)), str(len(golds))))
    columns = ("category", *(f"{letter} %" for letter in LABELS[:_LETTERS]), "others %", "items")
    return Grid("Right options of remaining items", columns, tuple(rows), "By their letters, as the files order them.")


def _category_counts(states: States) -> Grid:
    categories = by_category(states)
    rows: list[Row] = []
    for name, some in (*groups(states), ("share %", states)):
        counts = [sum(len(of(state)) for state in some) for of in categories.values()]
        if name == "share %":
            rows.append((name, *(percent(count, sum(counts)) for count in counts), "100.0"))
        else:
            rows.append((name, *map(str, counts), str(sum(counts))))
    return Grid("Remaining items by category", ("benchmark", *categories, "total"), tuple(rows))


def _category_accuracy(states: States) -> Grid:
    categories = by_category(states)
    rows: list[Row] = []
    for model in models_of(states):
        some = (*categories.values(), categorised)
        rows.append((short_name(model), *(right(states, Standard.name, model, among) for among in some)))
    caption = "With the whole video, on remaining items with a category; overall: of all these items together."
    return Grid("Accuracy by category", ("model", *categories, "overall"), tuple(rows), caption)
