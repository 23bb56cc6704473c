"""`longtake videos`: list, show, delete and export videos."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from filelock import Timeout

from longtake.cli.options import Json, empty_library, library_of
from longtake.console import counted, say, say_json
from longtake.errors import LibraryError, wrap_disk_errors
from longtake.memory.layers import Layer
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.timespan import clock
from longtake.preprocess.media.contents import FilePart
from longtake.preprocess.media.sources import contents_now, media_of

videos = typer.Typer(
    no_args_is_help=True, add_completion=False, help="List, show, delete and export the videos of the library."
)

_UNFINISHED = "  (indexing hasn't finished)"
Name = Annotated[str, typer.Argument(help="Name, path, id or id prefix.", metavar="VIDEO")]


@videos.command("list")
def list_videos(context: typer.Context, as_json: Json = False) -> None:
    """List the videos by name."""
    library = library_of(context.obj)
    library.warn_of_damage()
    found = library.videos()
    if as_json:
        return say_json([_facts(library, video) for video in found])
    if not found:
        return say(empty_library(library.root))
    width = max(len(video.name) for video in found)
    for video in found:
        layers = ", ".join(video.layers) or "no layers"
        unfinished = "" if video.complete else _UNFINISHED
        say(f"{video.name:<{width}}  {clock(video.duration)}  {video.id}  {layers}{unfinished}")
    return None


@videos.command()
def show(
    context: typer.Context,
    video: Name,
    layer: Annotated[str | None, typer.Argument(help="Show the items of this layer.", metavar="LAYER")] = None,
    as_json: Json = False,
) -> None:
    """Show a video's facts and layers, or the items of one layer."""
    library = library_of(context.obj)
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
    """Delete a video with its layers, readings and search entries, and its file if that was uploaded.

    Any other file stays.
    """
    from longtake.memory.search.index import Index

    library = library_of(context.obj)
    record = library.resolve(video)
    try:
        # A server holds `changes` while it takes an upload, which may be of the same bytes.
        with wrap_disk_errors(library.root), library.lock("changes"), library.lock(record.id).acquire(timeout=0):
            uploaded = library.uploaded(record.id)
            Index(library.index_root).delete(record.id)
            library.delete(record)
    except Timeout as error:
        raise LibraryError(f"{record.name} is being indexed by another process: stop that first.") from error
    if as_json:
        say_json({"deleted": record.id, "name": record.name})
    else:
        file = "its uploaded file is gone too" if uploaded else f"the file {record.path} is untouched"
        say(f"Deleted {record.name} ({record.id}) from the library; {file}.")


@videos.command()
def export(
    context: typer.Context,
    video: Name,
    target: Annotated[Path, typer.Argument(help="A folder that doesn't exist yet.", metavar="FOLDER")],
    as_json: Json = False,
) -> None:
    """Copy a video's record, layers and readings to a new folder."""
    library = library_of(context.obj)
    record = library.resolve(video)
    library.export(record, target)
    if as_json:
        say_json({"exported": record.id, "name": record.name, "folder": str(target.resolve())})
    else:
        say(f"Copied the record and {counted(len(record.layers), 'layer')} of {record.name} to {target}.")


def _layer(library: LibraryStore, video: VideoRecord, name: str) -> Layer:
    layer = library.layer(video, name)
    if layer is None:
        raise LibraryError(f"{video.name} has no layer {name!r}. It has: {', '.join(video.layers) or 'none'}.")
    return layer


def _facts(library: LibraryStore, video: VideoRecord) -> dict[str, Any]:
    """The public shape of a video in `--json`."""
    layers = {name: library.layer(video, name) for name in video.layers}
    return {
        "id": video.id,
        "name": video.name,
        "path": video.path,
        "size": video.size,
        "duration": video.duration,
        "complete": video.complete,
        "contents": [part.model_dump() for part in contents_now(library, video, media_of(library, video))],
        "layers": {
            name: {
                "engine": layer.engine,
                "key": layer.key,
                "items": layer.count,
                "share": layer.share(video.duration),
                "left_out": layer.told(),
            }
            for name, layer in layers.items()
            if layer
        },
    }


def _say_video(facts: dict[str, Any]) -> None:
    unfinished = "" if facts["complete"] else _UNFINISHED
    say(f"{facts['name']}  {clock(facts['duration'])}  {facts['id']}{unfinished}")
    say(facts["path"])
    for part in facts["contents"]:
        say(f"  {FilePart(**part).text}")
    told: set[str] = set()  # the layers of one pass skip the same parts
    for name, layer in facts["layers"].items():
        items, share = counted(layer["items"], "item"), layer["share"]
        say(f"  {name:<13} {items:>12}  {share:>4.0%} of the time  {layer['engine']}")
        for sentence in (sentence for sentence in layer["left_out"] if sentence not in told):
            say(f"  {'':<13} !  {sentence}")
        told.update(layer["left_out"])


def _item_line(item: dict[str, Any]) -> str:
    """Times first, then the text, then the other fields with their names; nulls are left out."""
    item = _without_nulls(item)
    times = [clock(item[name], decimals=1) for name in ("start", "end") if name in item]
    rest = [f"{name}={value}" for name, value in item.items() if name not in ("start", "end", "text")]
    return "  ".join(["-".join(times), *([item["text"]] if "text" in item else []), *rest]).strip()


def _without_nulls(value: Any) -> Any:
    """A JSON value without its null fields, at any depth."""
    if isinstance(value, dict):
        return {name: _without_nulls(field) for name, field in value.items() if field is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value
