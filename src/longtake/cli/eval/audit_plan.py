"""`longtake eval audit --dry-run`: estimates what an audit will take, the captions of its summaries included."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.cli.eval.run_plan import DryRun, dry_run, show_dry_run
from longtake.console import Session, counted
from longtake.evalharness.items import Item
from longtake.evalharness.runs.predicting import rows, settled
from longtake.evalharness.runs.run_folder import Notify, RunCard, RunFolder
from longtake.evalharness.subjects.model_spec import is_model
from longtake.evalharness.subjects.subject import NothingToShow, Subject
from longtake.evalharness.views.frame_views import FRAMES
from longtake.evalharness.views.part_captions import PartCaptions, SummaryView
from longtake.evalharness.views.view_table import view_named
from longtake.memory.records import Record
from longtake.preprocess.pipeline.workspace import Workspace


class AuditPlan(Record):
    """The public shape of `eval audit --dry-run --json`."""

    replies: DryRun
    pictures: int  # that models at endpoints are sent
    captions: int  # that a model must write first, of `FRAMES` pictures each


def audit_plan(
    folder: RunFolder,
    card: RunCard,
    items: Sequence[Item],
    subjects: Sequence[Subject],
    session: Session,
    notify: Notify,
    *,
    retry_errors: bool,
) -> AuditPlan:
    """Estimate what an audit would take; see `dry_run`. Files are read for their hashes, and nothing is asked."""
    done = settled(folder.predictions(notify), retry_errors=retry_errors)
    missing = [
        (card.spec_of(subject.name), item, variant.view)
        for subject in subjects
        for item, variant, _ in rows(subject, card, items, done)
        if variant.view
    ]
    summarised = {item.id: item for _, item, view in missing if view == SummaryView.name}
    return AuditPlan(
        replies=dry_run(folder, card, items, subjects, session, notify, retry_errors=retry_errors),
        pictures=sum(view_named(view).pictures(item) for spec, item, view in missing if is_model(spec)),
        captions=_captions(list(summarised.values()), session, notify) if summarised else 0,
    )


def show_audit_plan(plan: AuditPlan) -> list[str]:
    """The estimate as lines to print."""
    lines = show_dry_run(plan.replies)
    lines.append(f"about {counted(plan.pictures, 'picture')} in the requests to models")
    if plan.captions:
        lines.append(
            f"captions for the summaries: {counted(plan.captions, 'call')} with about "
            f"{counted(plan.captions * FRAMES, 'picture')}; they are kept for all models and runs"
        )
    return lines


def _captions(items: Sequence[Item], session: Session, notify: Notify) -> int:
    try:
        return PartCaptions(Workspace(session.library_root, session.settings)).missing(items)
    except NothingToShow as error:
        notify(str(error))
        return 0
