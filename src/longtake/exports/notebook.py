"""Answers and videos as HTML for notebooks: the words, and a player at every cited second.

The HTML contains its clips and stills, so a saved notebook shows them without Longtake or the video. It contains no
script, and text from videos and models is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Literal, NamedTuple

from jinja2 import Environment

from longtake.agent.traces.pages.page_videos import kept_still
from longtake.errors import LibraryError, MediaError
from longtake.exports.bundle_text import span_text
from longtake.exports.clip_export import clip_bytes
from longtake.exports.places import AROUND, CitedPlace, places_of
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.records import Answer, Citation, display_name
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.media.sources import media_at, source
from longtake.prompts import data_url, templates

MAX_CLIPS = 3  # further places get a still
MAX_CLIP_LENGTH = 8.0  # seconds
MAX_CLIP_BYTES = 1_000_000
LONG_SIDE = 480  # pixels


class NotebookPicture(NamedTuple):
    """What shows a place, as a data URL."""

    kind: Literal["video", "audio", "img"]
    url: str


class Chip(NamedTuple):
    """A cited place: its video and time, what is said or shown there, and its clip or still, if there is one."""

    where: str
    citations: tuple[Citation, ...]
    picture: NotebookPicture | None


def answer_html(answer: Answer, library: LibraryStore | None) -> str:
    """An answer with a chip for each cited place or, if it is uncertain, each closest line.

    Args:
        answer: the answer.
        library: has the videos; places in other videos are shown without a picture.
    """
    chips = list(_chips(answer, library))
    return _templates().get_template("notebook_answer.html").render(answer=answer, chips=chips, long_side=LONG_SIDE)


def video_html(video: VideoRecord, library: LibraryStore | None) -> str:
    """A video with its name and length and, if it is in the library, a still of its middle."""
    picture = _still(video, library, video.duration / 2) if library else None
    return _templates().get_template("notebook_video.html").render(video=video, picture=picture, length=clock)


def _chips(answer: Answer, library: LibraryStore | None) -> Iterator[Chip]:
    places = list(places_of(answer, library)) if library else []
    best_first = sorted(places, key=lambda place: answer.places.index(place.citations[0]))
    for number, place in enumerate(best_first):
        start = place.citations[0].start
        picture = _clip(place) if number < MAX_CLIPS else None
        picture = picture or _still(place.video.record, place.video.library, start)
        yield Chip(f"{place.video.record.name} {clock(start)}", place.citations, picture)
    shown = [citation for place in places for citation in place.citations]
    for citation in answer.places:
        if citation not in shown:
            yield Chip(f"{citation.video} {clock(citation.start)}", (citation,), None)


def _clip(place: CitedPlace) -> NotebookPicture | None:
    """A clip from the cited second on; None if the file is gone or can't be read, or the clip is too large."""
    path = source(place.video.record)
    if path is None:
        return None
    start = max(0.0, min(place.citations[0].start, place.span.end - AROUND))
    span = TimeSpan(start=start, end=min(place.span.end, start + MAX_CLIP_LENGTH))
    with suppress(MediaError):
        media = media_at(path, place.video.library, place.video.record)
        content = clip_bytes(path, media, span, LONG_SIDE)
        if len(content) <= MAX_CLIP_BYTES:
            kind: Literal["video", "audio"] = "video" if media.video else "audio"
            return NotebookPicture(kind, data_url(f"{kind}/mp4", content))
    return None


def _still(video: VideoRecord, library: LibraryStore, at: float) -> NotebookPicture | None:
    with suppress(LibraryError):
        if jpeg := kept_still(library, video, at, LONG_SIDE):
            return NotebookPicture("img", data_url("image/jpeg", jpeg))
    return None


@cache
def _templates() -> Environment:
    environment = templates("longtake.exports")
    environment.globals |= {"span": span_text, "display_name": display_name}
    return environment
