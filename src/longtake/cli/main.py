"""The `longtake` command: a table of commands, each imported when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from longtake import __version__
from longtake.console import Session, configure_logging, error_border, keep_interrupts

# name -> (module:attr of the command, one line of help)
COMMANDS = {
    "setup": ("longtake.cli.setup:setup", "Find model servers on this machine, fetch models and keep the settings."),
    "doctor": ("longtake.cli.doctor:doctor", "Check what works here and how to enable the rest."),
    "demo": ("longtake.cli.demo:demo", "Make a short video, index it and ask about it."),
    "index": ("longtake.cli.index:index", "Index files, folders or links."),
    "plan": ("longtake.cli.plan:plan", "Plan the indexing of many files: time, memory, disk and price."),
    "videos": ("longtake.cli.video_commands:videos", "List, show, delete and export the videos of the library."),
    "models": ("longtake.cli.models:models", "List, pull, verify, locate and remove models on disk."),
    "faces": ("longtake.cli.faces_command:faces", "Enrol, list and delete faces to be named in videos."),
    "search": ("longtake.cli.search:search", "Find where something is said, written, heard or seen."),
    "show": ("longtake.cli.show:show", "Print what is said in a video, or the text on screen; also as subtitles."),
    "entities": ("longtake.cli.entities:entities", "List who and what a video is about, and correct their names."),
    "summary": ("longtake.cli.show:summary", "Say what a video is about."),
    "clip": ("longtake.cli.show:clip", "Save a part of a video as a file."),
    "ask": ("longtake.cli.ask:ask", "Ask a question and get an answer with its proof."),
    "chat": ("longtake.cli.chat:chat", "Ask questions in a conversation."),
    "trace": ("longtake.cli.trace_command:trace", "Show, measure, compare and replay runs."),
    "serve": ("longtake.cli.serve:serve", "Serve the library as a web page."),
    "mcp": ("longtake.cli.mcp:mcp", "Serve the tools and `ask` to other agents over MCP."),
    "tools": ("longtake.cli.tools:tools", "List the tools, their schemas and engines, and call one."),
    "eval": ("longtake.cli.eval.eval_app:evaluate", "Evaluate the agent and its baselines on a suite."),
    "perturb": (
        "longtake.cli.perturb:perturb",
        "Edit a video to test what a model notices, and write down what was changed.",
    ),
}
if find_spec("longtake.benchmarks"):  # in the repository, not in the wheel
    COMMANDS["bench"] = ("longtake.benchmarks.cli:bench", "Measure speed and answer quality on this machine.")


class LazyGroup(TyperGroup):
    """Lists the table without importing anything; imports a command's module when it runs."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """Return a stub with the help line: enough for `--help`, completion and suggestions."""
        entry = COMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=entry[1]) if entry else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the options of every command also after the command; `--set`, which some commands have, stays there."""
        takes_value = {
            name: not each.is_flag
            for each in self.params
            if isinstance(each, TyperOption) and not (each.is_eager or each.multiple)
            for name in each.opts
        }
        own: list[str] = []
        others: list[str] = []
        left = iter(args)
        for arg in left:
            if arg == "--":
                others += [arg, *left]
            elif arg.partition("=")[0] in takes_value:
                own += [arg, *islice(left, int(takes_value.get(arg, False)))]
            else:
                others.append(arg)
        return super().parse_args(ctx, own + others)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the real command in place of the stub."""
        name, stub, rest = super().resolve_command(ctx, args)
        return name, _load(name) if name in COMMANDS else stub, rest


def _load(name: str) -> Any:
    target, summary = COMMANDS[name]
    module, _, attribute = target.partition(":")
    loaded: Any = getattr(import_module(module), attribute)
    if isinstance(loaded, typer.Typer):
        return typer.main.get_command(loaded)
    single = typer.Typer(add_completion=False)
    single.command(name, help=summary)(loaded)
    return typer.main.get_command(single)


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(show: bool) -> None:
    if show:
        typer.echo(f"longtake {__version__}")
        raise typer.Exit


@app.callback()
def globals_(
    context: typer.Context,
    config: Annotated[
        str | None,
        typer.Option(
            help="A profile (embedded, standard, longshot) or a YAML file, over what `longtake setup` wrote.",
            show_default=False,
        ),
    ] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override one setting.")] = None,
    library: Annotated[Path | None, typer.Option(help="Library folder.", file_okay=False)] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Forbid every outgoing connection.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and debug logs.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Answers questions about long videos and shows the seconds that prove each answer."""
    configure_logging(debug=debug)
    context.obj = Session(config, tuple(set_ or ()), library, offline, debug)


def main() -> None:
    """Run the command line."""
    keep_interrupts()
    with error_border(debug="--debug" in sys.argv):
        app()
