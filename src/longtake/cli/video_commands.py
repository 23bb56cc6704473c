"""`longtake videos`: what the library holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from filelock import Timeout

from longtake.console import Session, counted, say, say_json
from longtake.errors import LibraryError
from longtake.memory.layers import Layer
from longtake.memory.library import Library, VideoRecord
from longtake.memory.timespan import clock

videos = typer.Typer(no_args_is_help=True, help="List, show, delete and export what the library holds.")

Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Name = Annotated[str, typer.Argument(help="Name, path, id or beginning of an id.", metavar="VIDEO")]


@videos.command("list")
def list_videos(context: typer.Context, as_json: Json = False) -> None:
    """List the videos by name."""
    library = _library(context)
    found = library.videos()
    if as_json:
        return say_json([_facts(library, video) for video in found])
    if not found:
        return say(f"The library {library.root} holds no videos; `longtake index FILE` adds one.")
    width = max(len(video.name) for video in found)
    for video in found:
        say(f"{video.name:<{width}}  {clock(video.duration)}  {video.id}  {', '.join(video.layers)}")
    return None


@videos.command()
def show(
    context: typer.Context,
    video: Name,
    layer: Annotated[str | None, typer.Argument(help="A layer whose items to show.", metavar="LAYER")] = None,
    as_json: Json = False,
) -> None:
    """Show a video's facts and layers, or the items of one layer."""
    library = _library(context)
    record = library.resolve(video)
    if layer is None:
        facts = _facts(library, record)
        return say_json(facts) if as_json else _say_video(facts)
    items = list(_layer(library, record, layer).items())
    if as_json:
        return say_json(items)
    for item in items:
        say(_item_line(item))
    return None


@videos.command()
def delete(context: typer.Context, video: Name, as_json: Json = False) -> None:
    """Forget a video, its layers, its readings and its place in the search index; the file itself stays."""
    from longtake.memory.search.hybrid_search import HybridIndex

    library = _library(context)
    record = library.resolve(video)
    try:
        with library.lock(record.id).acquire(timeout=0):
            HybridIndex(library.index_root).delete(record.id)
            library.delete(record)
    except Timeout as error:
        raise LibraryError(f"{record.name} is being indexed by another process: stop that first.") from error
    if as_json:
        say_json({"deleted": record.id, "name": record.name})
    else:
        say(f"{record.name} ({record.id}) is forgotten; {record.path} was not touched.")


@videos.command()
def export(
    context: typer.Context,
    video: Name,
    target: Annotated[Path, typer.Argument(help="A folder that does not exist yet.", metavar="FOLDER")],
    as_json: Json = False,
) -> None:
    """Copy a video's record, layers and readings to a new folder."""
    library = _library(context)
    record = library.resolve(video)
    library.export(record, target)
    if as_json:
        say_json({"exported": record.id, "name": record.name, "folder": str(target.resolve())})
    else:
        say(f"{record.name}: record and {counted(len(record.layers), 'layer')} copied to {target}.")


def _library(context: typer.Context) -> Library:
    session: Session = context.obj
    return Library(session.library_root)


def _layer(library: Library, video: VideoRecord, name: str) -> Layer:
    layer = library.layer(video, name)
    if layer is None:
        raise LibraryError(f"{video.name} has no layer {name!r}. It has: {', '.join(video.layers) or 'none'}.")
    return layer


def _facts(library: Library, video: VideoRecord) -> dict[str, Any]:
    """The public shape of a video in `--json`."""
    layers = {name: library.layer(video, name) for name in video.layers}
    return {
        "id": video.id,
        "name": video.name,
        "path": video.path,
        "size": video.size,
        "duration": video.duration,
        "layers": {
            name: {"engine": layer.engine, "key": layer.key, "items": layer.count, "share": layer.share(video.duration)}
            for name, layer in layers.items()
            if layer
        },
    }


def _say_video(facts: dict[str, Any]) -> None:
    say(f"{facts['name']}  {clock(facts['duration'])}  {facts['id']}")
    say(facts["path"])
    for name, layer in facts["layers"].items():
        items, share = counted(layer["items"], "item"), layer["share"]
        say(f"  {name:<13} {items:>12}  {share:>4.0%} of the time  {layer['engine']}")


def _item_line(item: dict[str, Any]) -> str:
    """Times first, then the other fields that say something; a text stands without its name."""
    item = _known(item)
    times = [clock(item[name], decimals=1) for name in ("start", "end") if name in item]
    rest = [f"{name}={value}" for name, value in item.items() if name not in ("start", "end", "text")]
    return "  ".join(["-".join(times), *([item["text"]] if "text" in item else []), *rest]).strip()


def _known(value: Any) -> Any:
    """A value of JSON without the fields that are null, at any depth."""
    if isinstance(value, dict):
        return {name: _known(field) for name, field in value.items() if field is not None}
    return [_known(each) for each in value] if isinstance(value, list) else value
