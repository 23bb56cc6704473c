"""`longtake models`: list, pull, verify, locate and remove models."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from longtake.cli.options import Json
from longtake.config import models_folder
from longtake.console import EXIT_FAILED, Session, say, say_json
from longtake.models.catalogue import CatalogueModel, catalogue, named
from longtake.models.fetching import pull as fetch
from longtake.models.folder import InstalledModel, installed, require
from longtake.models.folder import remove as delete

models = typer.Typer(
    no_args_is_help=True, add_completion=False, help="List, pull, verify, locate and remove models on disk."
)

Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Names of the catalogue.")]


@models.command("list")
def list_models(as_json: Json = False) -> None:
    """List the catalogue by task, with what is on disk."""
    present = {each.model.name: each for each in installed()}
    if as_json:
        return say_json([_facts(model, present.get(model.name)) for model in catalogue()])
    task = None
    for model in catalogue():
        if model.task != task:
            task = model.task
            say(task)
        mark = "*" if model.name in present else " "
        say(f" {mark} {model.name:<21} {size_text(model.size):>8}  {model.licence:<13} {model.improves}")
    return say(f"* in {models_folder()}. Fetch one with `longtake models pull NAME`.")


@models.command()
def pull(context: typer.Context, names: Names, as_json: Json = False) -> None:
    """Fetch models into the models folder; what is there already is checked instead."""
    session: Session = context.obj
    wanted = [named(name) for name in names]
    facts = []
    for model in wanted:
        found = fetch(model, offline=session.settings.offline, quiet=as_json)
        facts.append(_facts(model, found))
        if not as_json:
            say(f"{model.name} is in {found.folder} ({size_text(found.size)}, {model.licence}).")
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
    found = [require(name) for name in names] if names else installed()
    damaged = {each.model.name: each.damaged() for each in found}
    if as_json:
        say_json([{"name": name, "damaged": files} for name, files in damaged.items()])
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


def size_text(size: int | None) -> str:
    """A size in bytes as text; empty if it isn't known."""
    if size is None:
        return ""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def _facts(model: CatalogueModel, found: InstalledModel | None) -> dict[str, Any]:
    """The public shape of a model in `--json`."""
    return {
        "name": model.name,
        "task": model.task,
        "improves": model.improves,
        "repo": model.repo,
        "revision": found.record.revision if found else model.revision,
        "licence": model.licence,
        "size": found.size if found else model.size,
        "memory": model.memory,
        "path": str(found.path) if found else None,
    }
