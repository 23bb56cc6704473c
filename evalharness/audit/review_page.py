"""The items for review as one page: what is decided there is saved as a file for `--decisions`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from longtake.evalharness.audit.audit_replies import short_name
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.review import WHY, Reason
from longtake.evalharness.items import Item
from longtake.evalharness.reports.template import page
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.views.frame_views import Standard


class ShownItem(NamedTuple):
    """An item for review, as it is shown."""

    item: Item
    reasons: tuple[Reason, ...]
    why: tuple[str, ...]
    chose: str
    video: str  # address of the file, from the place that the evidence names; empty if it is missing
    categories: Mapping[str, str]  # by name, with their definitions, to choose from, if the vote left it open


def waiting(state: AuditState) -> list[ShownItem]:
    """The items without a verdict."""
    return [_shown(state, name) for name in state.queue if name not in state.verdicts]


def review_page(state: AuditState, run: Path) -> Iterator[str]:
    """The page in pieces. It needs no server and asks for nothing from elsewhere."""
    return page(
        "review.html",
        part="audited_item.html",
        title=f"Review of {state.name}",
        how="Keep an item, drop it, or take it out to be rewritten later.",
        command=f"longtake eval audit review {run}",
        folder=str(run.resolve()),
        items=waiting(state),
    )


def _shown(state: AuditState, name: str) -> ShownItem:
    item, reasons = state.replies.items[name], state.queue[name]
    why = [f"{reason}: {WHY[reason]}" for reason in reasons]
    if tests := state.scores.shortcuts.flagged.get(name):
        why.append(f"flagged by {', '.join(tests)}")
    models = state.replies.asked_in(Standard.name)
    chosen = ((model, state.replies.choices(Standard.name, model).get(name)) for model in models)
    chose = (f"{short_name(model)} {'none' if place is None else LABELS[place]}" for model, place in chosen)
    evidence = item.turns[0].evidence
    start = f"#t={evidence[0].start:g}" if evidence else ""
    return ShownItem(
        item,
        reasons,
        tuple(why),
        f"with the whole video: {', '.join(chose)}",
        f"{Path(item.media).absolute().as_uri()}{start}" if item.media else "",
        state.votes.categories if "no-category" in reasons else {},
    )
