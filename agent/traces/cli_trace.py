"""`longtake trace`: what runs did."""

from __future__ import annotations

import typer

from longtake.agent.traces.cli_replay import register

trace = typer.Typer(no_args_is_help=True, help="Replay runs, go on from a step of one, and export them.")
register(trace)
