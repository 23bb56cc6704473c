"""`longtake tools`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from longtake.cli.options import Json
from longtake.console import EXIT_FAILED, Session, note, say, say_json
from longtake.language.text import parse_json
from longtake.memory.notes import Notes
from longtake.memory.records import WORDS_WIDTH, display_name
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.registry import SPECS, ToolSpec
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

tools = typer.Typer(
    no_args_is_help=True, add_completion=False, help="List the tools, their schemas and engines, and call one."
)


@tools.command("list")
def list_tools(context: typer.Context, as_json: Json = False) -> None:
    """List the tools and the engines they would use now; a video's subtitles take precedence over speech."""
    session: Session = context.obj
    table = EngineTable(session.settings)
    rows = [_row(SPECS[function], table) for function in ALL_TOOLS]
    if as_json:
        say_json({"tools": rows})
        return
    for row in rows:
        engines = ", ".join(_engine(name, engine, table) for name, engine in row["engines"].items())
        say(f"{row['name']:<20} {', '.join(row['schema']['properties'])}")
        say(f"{'':<20} {row['description'].splitlines()[0]}")
        say(f"{'':<20} {engines or 'needs no engine'}")


@tools.command("call")
def call_tool(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Tool name.")],
    videos: Annotated[
        list[str] | None, typer.Argument(metavar="[VIDEO...]", help="Ids or names, if the tool needs a video.")
    ] = None,
    args: Annotated[str, typer.Option("--args", metavar="JSON", help="The arguments, as a JSON object.")] = "{}",
    as_json: Json = False,
) -> None:
    """Run one tool as the controller would, and print its result."""
    session: Session = context.obj
    arguments = _arguments(args)
    workspace = Workspace(session.library_root, session.settings)
    records = [workspace.library.resolve(reference) for reference in videos or []]
    workspace.restore(records)
    handles = {record.id: VideoHandle(record, workspace.library) for record in records}
    budget = Budget(session.settings.budget.seconds)
    notes = Notes(workspace.library.memory)
    opened = ToolContext(handles, workspace.engines, workspace.index, session.settings, budget, notes=notes)
    result = Toolbox(ALL_TOOLS).call(name, arguments, opened)
    if as_json:
        say_json(result.model_dump(mode="json"))
    else:
        _show(result)
    if result.failure:
        raise typer.Exit(EXIT_FAILED)


def _arguments(text: str) -> dict[str, Any]:
    try:
        arguments = parse_json(text)
    except ValueError as error:
        raise typer.BadParameter(
            f"--args isn't JSON ({error}): write an object, such as '{{\"timestamp\": 12}}'."
        ) from error
    if not isinstance(arguments, dict):
        raise typer.BadParameter(f"--args {text!r} isn't a JSON object: write one, such as '{{\"timestamp\": 12}}'.")
    return arguments


def _show(result: ToolResult) -> None:
    if result.failure:
        note(f"longtake: {result.failure.message} {result.failure.remedy}".rstrip())
        return
    say_json(result.output)
    for item in result.evidence:
        say(f"  {item.span}  {display_name(item.modality):<{WORDS_WIDTH}}  {item.text}")
    for remark in result.notes:
        say(f"  ({remark})")


def _engine(capability: str, engine: str | None, table: EngineTable) -> str:
    """Describe what provides a capability; subtitles take precedence over speech recognition."""
    if capability != "speech":
        return f"{capability}: {engine or 'unavailable'}"
    reasons = "; ".join(f"{name}: {reason}" for name, reason in table.report(capability).reasons.items())
    fallback = engine or f"unavailable ({reasons or 'no engine in the profile'})"
    return f"{capability}: subtitles; without them {fallback}"


def _row(spec: ToolSpec, table: EngineTable) -> dict[str, Any]:
    return {
        "name": spec.name,
        "group": spec.group,
        "description": spec.description,
        "schema": spec.schema(),
        "engines": {capability: table.report(capability).engine for capability in spec.capabilities},
    }
