"""`longtake entities`: who and what videos show, name and let speak, and how they are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from filelock import Timeout

from longtake.cli.ask import open_library
from longtake.cli.options import Json, empty_library, library_of
from longtake.console import Session, counted, say, say_json
from longtake.errors import ConfigError, LibraryError
from longtake.language.text import words_of
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.timespan import clock
from longtake.preprocess.layers.entities import Entity, entities_of

_PLACES = 5  # of an entity on one line


def entities(
    context: typer.Context,
    video: Annotated[
        str | None,
        typer.Argument(help="Name, path, id or id prefix; without one, all videos together.", metavar="VIDEO"),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="OLD=NEW", help="Give an entity another name; one that exists joins the two."),
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="NAME", help="Take an entity out that isn't there.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List who and what a video shows, names and lets speak, or correct their names."""
    session: Session = context.obj
    given = dict(_renaming(each) for each in name or ()) | dict.fromkeys(remove or (), "")
    library = library_of(session)
    if video is None:
        if given:
            raise ConfigError("Name the video whose entities you correct.")
        return _show_all(library, as_json=as_json)
    record = library.resolve(video)
    if given:
        with open_library(session) as opened:
            try:
                record = opened.workspace.rename(record, given)
            except Timeout as error:
                message = f"{record.name} is being indexed: correct its names when that's done."
                raise LibraryError(message) from error
    found = entities_of(library, record)
    if as_json:
        return say_json([_facts(each) for each in found])
    if not found:
        raise LibraryError(
            f"Nobody and nothing was found in {record.name} that has a name. Indexed before entities were kept? "
            f"longtake index {record.id}"
        )
    return _show(found)


def _renaming(text: str) -> tuple[str, str]:
    old, sign, new = (part.strip() for part in text.partition("="))
    if not (old and sign and new):
        raise ConfigError(f"{text!r} gives no name: write --name 'OLD=NEW'.")
    return old, new


def _show(found: Sequence[Entity]) -> None:
    for each in found:
        places = ", ".join(clock(start) for start, _ in each.spans[:_PLACES])
        more = f" and {counted(len(each.spans) - _PLACES, 'more place')}" if len(each.spans) > _PLACES else ""
        say(f"{each.text}\n  {places}{more}")


def _show_all(library: LibraryStore, *, as_json: bool) -> None:
    """The entities of all videos, those with the same name together."""
    videos = library.videos()
    together: dict[str, list[tuple[VideoRecord, Entity]]] = {}
    for video in videos:
        for each in entities_of(library, video):
            together.setdefault(words_of(each.name), []).append((video, each))
    if as_json:
        return say_json(
            [
                {"name": own[0][1].name, "videos": [{"video": video.id, **_facts(each)} for video, each in own]}
                for own in together.values()
            ]
        )
    if not videos:
        return say(empty_library(library.root))
    for own in sorted(together.values(), key=lambda own: -len(own)):
        names = ", ".join(f"{video.name} ({counted(len(each.spans), 'place')})" for video, each in own)
        say(f"{own[0][1].name} ({own[0][1].kind}): {names}")
    return None


def _facts(entity: Entity) -> dict[str, Any]:
    """The public shape of an entity in `--json`."""
    return entity._asdict()
