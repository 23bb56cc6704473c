"""The accuracy on benchmarks over the share of their items that goes: Figure 1 (b) of Video-Oasis."""

from __future__ import annotations

from longtake.evalharness.audit.audit_replies import short_name
from longtake.evalharness.audit.cells import States, every, models_of, right
from longtake.evalharness.reports.grid import Grid, Plot, Point
from longtake.evalharness.reports.published_rows import published
from longtake.evalharness.scoring.estimates import Estimate, pearson, plain
from longtake.evalharness.views.frame_views import Standard


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
