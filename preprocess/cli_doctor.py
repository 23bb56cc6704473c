"""`longtake doctor`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from longtake import __version__
from longtake.console import Session, say, say_json
from longtake.preprocess.engines import CapabilityReport, EngineTable


def doctor(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what works here: for each capability the engine in use and what would make a better one available."""
    session: Session = context.obj
    reports = EngineTable(session.settings).reports()
    controller = session.settings.controller
    facts = {
        "version": __version__,
        "python": sys.version.split()[0],
        "library": str(session.library_root),
        "profile": session.profile,
        "offline": session.settings.offline,
        "controller": {"engine": controller.engine, "model": controller.model, "base_url": controller.base_url},
        "capabilities": [_row(report) for report in reports],
    }
    if as_json:
        say_json(facts)
        return
    say(f"longtake {__version__}, Python {facts['python']}, profile {session.profile}")
    say(f"library     {session.library_root}")
    at = f" ({controller.model} at {controller.base_url})" if controller.model else ""
    say(f"controller  {controller.engine}{at}")
    say()
    for report in reports:
        say(f"{report.capability:<15} {report.engine or 'unavailable':<12} {report.summary}")
        for name, reason in report.reasons.items():
            say(f"{'':<15} {name} cannot be used: {reason}")


def _row(report: CapabilityReport) -> dict[str, object]:
    return {
        "capability": report.capability,
        "engine": report.engine,
        "summary": report.summary,
        "unavailable": dict(report.reasons),
    }
