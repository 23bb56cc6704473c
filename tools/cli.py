"""`longtake tools`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from longtake.console import Session, say, say_json
from longtake.preprocess.engines import EngineTable
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.registry import SPECS, ToolSpec

tools = typer.Typer(no_args_is_help=True, help="List the tools, their schemas and the engines behind them.")


@tools.callback()
def group() -> None:
    """List the tools, their schemas and the engines behind them."""


@tools.command("list")
def list_tools(
    context: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """List the tools with the engine each would use now."""
    session: Session = context.obj
    table = EngineTable(session.settings)
    rows = [_row(SPECS[function], table) for function in ALL_TOOLS]
    if as_json:
        say_json({"tools": rows})
        return
    for row in rows:
        engines = ", ".join(f"{name}: {engine or 'unavailable'}" for name, engine in row["engines"].items())
        say(f"{row['name']:<20} {', '.join(row['schema']['properties'])}")
        say(f"{'':<20} {row['description']}")
        say(f"{'':<20} {engines or 'needs no engine'}")


def _row(spec: ToolSpec, table: EngineTable) -> dict[str, Any]:
    return {
        "name": spec.name,
        "group": spec.group,
        "description": spec.description,
        "schema": spec.schema(),
        "engines": {capability: table.report(capability).engine for capability in spec.capabilities},
    }
