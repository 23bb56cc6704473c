"""`longtake search`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from textwrap import indent
from typing import Annotated

import typer

from longtake.api import Library
from longtake.cli.options import Json, empty_library
from longtake.console import Session, note, say, say_json
from longtake.errors import ConfigError, LibraryError
from longtake.memory.library import VideoRecord
from longtake.memory.records import MODALITIES, Modality
from longtake.memory.timespan import SpanError, TimeSpan, parse_span
from longtake.tools.retrieval.search_results import by_video, result_lines, result_row

POINT = 1.0  # seconds that a single time of --within covers


def search(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[VIDEO...] QUERY", help="Video ids or names, then the query; quote a query of several words."
        ),
    ],
    modality: Annotated[
        list[str] | None, typer.Option(help=f"Only this modality; repeatable: {', '.join(MODALITIES)}.")
    ] = None,
    within: Annotated[
        str | None, typer.Option(metavar="SPAN", help="Only this stretch, such as 00:10:00-00:20:00.")
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="Number of results.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show why each result was found.")] = False,
    as_json: Json = False,
) -> None:
    """Find where something is said, written, heard or seen, in some videos or the whole library.

    A result marked weak has none of the query's words and little of its meaning; it's only the closest there is.
    """
    session: Session = context.obj
    query = words[-1].strip()
    if not query:
        raise ConfigError("The query is empty: say what to look for, in quotes if it has several words.")
    if k is not None and k < 1:
        raise ConfigError("-k is the number of results: give 1 or more.")
    with Library(session.library_root, session.settings) as library:
        videos = library.workspace.library.videos()
        if not videos:
            raise LibraryError(empty_library(session.library_root))
        chosen = [library.workspace.library.resolve(reference) for reference in words[:-1]] or videos
        ids = [video.id for video in chosen] if words[:-1] else ()
        span = _span(within, chosen)
        hits = library.search(query, ids, modalities=_modalities(modality or []), within=span, k=k)
    constant = session.settings.search.rrf_constant
    if as_json:
        say_json({"results": [result_row(hit, query, constant) for hit in hits]})
        return
    lines = partial(result_lines, query=query, constant=constant if explain else None)
    if len(chosen) == 1:
        for hit in hits:
            first, *others = lines(hit)
            say("\n".join([f"{chosen[0].name}  {first}", *others]))
    else:
        names = {video.id: video.name for video in videos}
        for video, found in by_video(hits).items():
            say(names.get(video, video))
            for hit in found:
                say(indent("\n".join(lines(hit)), "  "))
    if not hits:
        say("Nothing found.")


def _modalities(names: list[str]) -> tuple[Modality, ...]:
    unknown = [name for name in names if name not in MODALITIES]
    if unknown:
        raise ConfigError(f"--modality {unknown[0]!r} isn't one of {', '.join(MODALITIES)}.")
    return tuple(name for name in MODALITIES if name in names)


def _span(text: str | None, videos: Sequence[VideoRecord]) -> TimeSpan | None:
    if text is None:
        return None
    try:
        parsed = parse_span(text, window=POINT, duration=max(video.duration for video in videos))
    except SpanError as error:
        raise ConfigError(f"--within: {error}.") from error
    for change in parsed.notes:
        note(f"--within: {change}")
    return parsed.span
