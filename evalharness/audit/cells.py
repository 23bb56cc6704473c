"""What the tables of audits are made of: rows of audits, and shares of their items in percent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.reports.grid import Cell
from longtake.evalharness.scoring.estimates import Estimate, Observation, ratio
from longtake.evalharness.views.frame_views import Standard

States = Sequence[AuditState]
Items = Callable[[AuditState], Collection[str]]  # some items of an audit
Row = tuple[Cell, ...]
NOTHING = "-"  # where nothing was asked


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


def percent_of(share: float | None) -> str:
    """A share from 0 to 1 in percent."""
    return NOTHING if share is None else f"{100 * share:.1f}"


def percent(part: float, whole: float) -> str:
    """A share of counts in percent."""
    return f"{100 * part / whole:.1f}" if whole else NOTHING
