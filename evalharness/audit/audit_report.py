"""Writes the tables of audits: as a page with plots, as Markdown, and each as CSV."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from longtake.console import counted
from longtake.evalharness.audit.audit_replies import short_name
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.audit_tables import TaskGroups, audit_grids
from longtake.evalharness.audit.shortcut_plot import shortcut_plot
from longtake.evalharness.reports.document import grids_markdown, write_pieces
from longtake.evalharness.reports.grid import Cell, Grid
from longtake.evalharness.reports.template import page
from longtake.evalharness.scoring.estimates import Estimate
from longtake.evalharness.suites.benchmark_rows import csv_text


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
    files = {
        folder / "audit.html": page(
            "tables.html", title=title, sentences=sentences, grids=grids, plots=plots, drawn=True
        ),
        folder / "audit.md": [grids_markdown(title, sentences, tables)],
        **{folder / "tables" / f"{_plain_name(grid.title)}.csv": [_csv(grid)] for grid in tables},
    }
    for file, pieces in files.items():
        write_pieces(file, pieces)
    return list(files)


def _sentence(state: AuditState) -> str:
    flow = state.distilled.flow
    return (
        f"{state.name}: {counted(flow.items, 'item')}, asked of {', '.join(map(short_name, state.replies.subjects))}; "
        f"{flow.removed} go, {flow.remaining} remain, {flow.waiting} wait for review"
    )


def _plain_name(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _csv(grid: Grid) -> str:
    return csv_text([grid.columns, *(map(_value, row) for row in grid.rows)])


def _value(cell: Cell) -> str:
    """A figure without its interval, which a spreadsheet wouldn't read."""
    if not isinstance(cell, Estimate):
        return cell
    return "" if cell.value is None else f"{cell.value:.2f}"
