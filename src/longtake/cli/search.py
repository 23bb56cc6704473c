"""`longtake search`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter
from textwrap import indent
from typing import Annotated, Any

import typer

from longtake.api import Library
from longtake.cli.options import Json, empty_library
from longtake.console import Session, note, say, say_json
from longtake.errors import ConfigError, LibraryError
from longtake.language.terms import matched_terms
from longtake.memory.library import VideoRecord
from longtake.memory.records import MODALITIES, WORDS_WIDTH, Modality, display_name
from longtake.memory.search.fusion import RERANKED, WORDS, contribution
from longtake.memory.search.search_types import Hit, Match, Signal
from longtake.memory.timespan import SpanError, TimeSpan, parse_span

_PICTURE = "(picture)"  # shown for moments without text
_WEAK = "  (weak)"
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


def by_video(hits: Sequence[Hit]) -> Mapping[str, list[Hit]]:
    """Results grouped by video id, the video with the best result first."""
    grouped: dict[str, list[Hit]] = {}
    for hit in hits:
        grouped.setdefault(hit.moment.video, []).append(hit)
    return grouped


def result_lines(hit: Hit, query: str, constant: int | None) -> list[str]:
    """A result for people: its best moment, marked if weak, then the other texts of the event.

    Args:
        hit: the result.
        query: the query.
        constant: of reciprocal-rank fusion, to explain what found each moment; None for no explanation.
    """
    first = f"{_line(hit)}{_WEAK if hit.weak else ''}"
    if constant is None:
        return [first, *_other_texts(hit)]
    return [first, *_explained(hit, query, constant), *_other_texts(hit), *_joined(hit)]


def result_row(hit: Hit, query: str, constant: int) -> dict[str, Any]:
    """A result as JSON: its best moment and its event."""
    event = {"start": hit.span.start, "end": hit.span.end}
    also = [_row(match, query, constant) for match in hit.also]
    return {"video": hit.moment.video} | _row(hit, query, constant) | {"weak": hit.weak, "event": event, "also": also}


def _row(match: Match, query: str, constant: int) -> dict[str, Any]:
    moment = match.moment
    return {
        "start": moment.span.start,
        "end": moment.span.end,
        "modality": moment.modality,
        "text": moment.text,
        "score": round(match.score, 5),
        "signals": {
            name: {
                "rank": signal.rank,
                "score": round(signal.score, 4),
                "adds": round(contribution(signal.rank, constant), 5),
            }
            for name, signal in match.signals.items()
        },
        "terms": matched_terms(query, moment.text),
    }


def _line(match: Match) -> str:
    moment = match.moment
    return f"{moment.span}  {display_name(moment.modality):<{WORDS_WIDTH}}  {moment.text or _PICTURE}"


def _other_texts(hit: Hit) -> list[str]:
    """A line for each text of the event that isn't in its best moment."""
    best: dict[str, Match] = {"": hit, hit.moment.text: hit}
    for match in hit.also:
        best.setdefault(match.moment.text, match)
    return [f"  {_line(match)}" for match in best.values() if match is not hit]


def _explained(match: Match, query: str, constant: int) -> list[str]:
    """The fused score and a line for each signal."""
    lines = [f"  score {match.score:.5f}"]
    for name, signal in match.signals.items():
        adds = f"{contribution(signal.rank, constant):.5f}" if name != RERANKED else " " * 7
        terms = f": {', '.join(matched_terms(query, match.moment.text))}" if name == WORDS else ""
        lines.append(f"    {adds}  {_measured(name, signal)}{terms}")
    return lines


def _joined(hit: Hit) -> list[str]:
    """What found the other moments of the event: for each modality and signal their number and the best rank."""
    found: dict[tuple[Modality, str], list[Signal]] = {}
    for match in hit.also:
        for name, signal in match.signals.items():
            found.setdefault((match.moment.modality, name), []).append(signal)
    lines = [f"  event {hit.span}, merged from {len(hit.also) + 1}; the best of those that joined:"] if found else []
    for (modality, name), signals in found.items():
        best = min(signals, key=attrgetter("rank"))
        lines.append(f"    {display_name(modality):<{WORDS_WIDTH}}  {len(signals):>3} found  {_measured(name, best)}")
    return lines


def _measured(name: str, signal: Signal) -> str:
    vectors = f"cosine {signal.score:.2f} in {name}"
    score = {WORDS: f"BM25 {signal.score:.2f}", RERANKED: f"reranked {signal.score:.1f}"}.get(name, vectors)
    return f"rank {signal.rank:<3} {score}"
