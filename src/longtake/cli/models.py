"""`longtake models`: list, pull, verify, locate and remove models."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.cli.options import Json
from longtake.config import models_folder
from longtake.console import EXIT_FAILED, Session, note, raise_if_interrupted, say, say_json
from longtake.errors import ConfigError, EngineError
from longtake.models.catalogue import CatalogueModel, catalogue, named
from longtake.models.fetching import pull as fetch
from longtake.models.folder import InstalledModel, installed, lookup, require
from longtake.models.folder import remove as delete
from longtake.models.servers import ModelTrial
from longtake.models.serving import compose_file, running, servers_of, tried

models = typer.Typer(
    no_args_is_help=True, add_completion=False, help="List, pull, verify, locate and remove models on disk; serve them."
)

Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Names of the catalogue.")]


@models.command("list")
def list_models(as_json: Json = False) -> None:
    """List the catalogue by task, with each model's size, the memory it needs, its licence and what it improves."""
    present = {each.model.name: each for each in installed()}
    if as_json:
        return say_json([_facts(model, present.get(model.name)) for model in catalogue()])
    task = None
    for model in catalogue():
        if model.task != task:
            task = model.task
            say(task)
        mark = "*" if model.name in present else " "
        memory = f"{size_text(model.memory)} memory"
        say(f" {mark} {model.name:<21} {size_of(model):>9}  {memory:>14}  {model.licence:<13}  {model.improves}")
    marked = f"* in {models_folder()}." if present else f"None is in {models_folder()} yet."
    say(f"{marked} Fetch one with `longtake models pull NAME`.")
    return say("Sizes with ~ are estimates until the model is fetched; so is the memory.")


@models.command()
def pull(context: typer.Context, names: Names, as_json: Json = False) -> None:
    """Fetch models into the models folder; what is there already is checked instead."""
    session: Session = context.obj
    wanted = [named(name) for name in names]
    facts = []
    for model in wanted:
        known = lookup(model.name)
        found = fetch(model, offline=session.settings.offline, quiet=as_json)
        facts.append(_facts(model, found))
        if not as_json:
            say(f"{model.name} is in {found.folder} ({size_text(found.size)}, {model.licence}).")
            if found.unpinned and not known:
                files = ", ".join(found.unpinned)
                say(
                    f"No digest was known beforehand for {files}; it is recorded, and `longtake models verify` uses it."
                )
    if as_json:
        say_json(facts)
    elif any(model.task == "speech" for model in wanted):
        say("Transcribe what is in the library already with `longtake index --all`.")


@models.command()
def verify(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="All on disk by default.")] = None,
    as_json: Json = False,
) -> None:
    """Compare the files on disk with the digests recorded when they were fetched."""
    found = (
        [require(name) for name in names] if names else [each for model in catalogue() if (each := lookup(model.name))]
    )
    damaged = {each.model.name: each.damaged() for each in found}
    if as_json:
        say_json([{"name": name, "damaged": files} for name, files in damaged.items()])
    if not found and not as_json:
        say(f"No model is in {models_folder()} yet: fetch one with `longtake models pull NAME`.")
    for name, files in damaged.items() if not as_json else ():
        say(f"{name}: " + (f"damaged ({', '.join(files)}): run `longtake models pull {name}`" if files else "intact"))
    if any(damaged.values()):
        raise typer.Exit(EXIT_FAILED)


@models.command()
def where(name: Annotated[str | None, typer.Argument(metavar="[NAME]")] = None, as_json: Json = False) -> None:
    """Print the models folder, or where a model is; LONGTAKE_MODELS names another folder."""
    path = str(require(name).path if name else models_folder())
    say_json({"path": path}) if as_json else say(path)


@models.command()
def remove(names: Names, as_json: Json = False) -> None:
    """Delete models from the models folder."""
    folders = {name: str(delete(name)) for name in names}
    if as_json:
        say_json([{"name": name, "removed": folder} for name, folder in folders.items()])
    for folder in folders.values() if not as_json else ():
        say(f"Removed {folder}.")


@models.command()
def serve(
    context: typer.Context,
    profile: Annotated[
        str | None, typer.Option(help="Profile or YAML file that names the models; by default the settings in use.")
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="Run them with the vLLM on the PATH, and try them.")] = False,
    compose: Annotated[
        Path | None, typer.Option(help="Write a compose file that runs them in containers.", dir_okay=False)
    ] = None,
) -> None:
    """Print the vLLM commands that serve the models of a profile (`--profile longshot`), or run them."""
    session: Session = context.obj
    servers = servers_of((replace(session, profile=profile) if profile else session).settings)
    if compose:
        try:
            compose.write_text(compose_file(servers), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{compose} can't be written: {error.strerror}.") from error
        return say(f"Wrote {compose}. Start the servers with `docker compose -f {compose} up --wait`.")
    if not run:
        return say("\n".join(shlex.join(server.command()) for server in servers))
    with running(servers, note) as processes:
        for server, trial in zip(servers, tried(servers), strict=True):
            say(f"{server.model} at {server.url}: {trial_text(trial)}.")
        say("Ctrl-C ends the servers.")
        while all(process.poll() is None for process in processes):
            raise_if_interrupted()
            time.sleep(0.5)
    raise EngineError("A server ended by itself; its last lines above say why.")


def trial_text(trial: ModelTrial) -> str:
    """What a model did when it was tried."""
    if trial.problem:
        return f"it didn't answer ({trial.problem})"
    tools = "it calls tools" if trial.tools else "it doesn't call tools, so calls are written as text"
    form = "keeps to a JSON schema" if trial.schema else "doesn't keep to a JSON schema"
    eyes = "sees pictures" if trial.pictures else "doesn't see pictures"
    room = f"; its server reads {trial.context:,} tokens" if trial.context else ""
    return f"it answered in {trial.seconds:.1f} s, {tools}, {form}, and {eyes}{room}"


def size_of(model: CatalogueModel) -> str:
    """The size of a model as text, with ~ if it is an estimate."""
    return size_text(model.download) if model.size else f"~{size_text(model.download)}"


def size_text(size: int) -> str:
    """A size in bytes as text."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def _facts(model: CatalogueModel, found: InstalledModel | None) -> dict[str, Any]:
    """The public shape of a model in `--json`."""
    return {
        "name": model.name,
        "task": model.task,
        "improves": model.improves,
        "repo": model.repo,
        "revision": found.record.revision if found else model.revision,
        "files": list(model.files),
        "sha256": {file.path: file.sha256 for file in found.record.files} if found else model.sha256,
        "licence": model.licence,
        "size": found.size if found else model.download,
        "estimated": not found and model.size is None,
        "memory": model.memory,
        "path": str(found.path) if found else None,
    }
