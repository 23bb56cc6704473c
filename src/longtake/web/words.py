"""Routes of a video's words: what is said, and the text on screen."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from longtake.errors import LibraryError
from longtake.exports.transcript import TimedLine, Track, read_by, rendered, transcript
from longtake.memory.records import Record
from longtake.web.http.described import content
from longtake.web.http.downloads import attached
from longtake.web.http.refusals import Refusal
from longtake.web.service import Served

FileFormat = Literal["txt", "srt", "vtt"]
Which = Annotated[Track, Query(description="What is said, or the text on screen.")]
_TYPES = {"txt": "text/plain", "srt": "application/x-subrip", "vtt": "text/vtt"}

router = APIRouter(prefix="/api/videos", tags=["videos"])


class WordLine(Record):
    """A line; times are seconds."""

    start: float
    end: float
    text: str
    speaker: str | None
    trusted: bool = Field(description="Whether the recogniser was sure of it.")


class WordLines(Record):
    """The lines of a video, in order; empty if nothing has been read yet."""

    source: str | None = Field(description="Subtitles, with their language, or the engine that read the lines.")
    lines: tuple[WordLine, ...]


@router.get("/{video_id}/words")
def list_words(video_id: str, service: Served, track: Which = "speech") -> WordLines:
    """The lines that are said or shown."""
    video = service.video(video_id)
    lines: list[TimedLine] = []
    with suppress(LibraryError):  # nothing has been read yet
        lines = transcript(service.library, video, track)
    return WordLines(
        source=read_by(service.library, video, track), lines=tuple(WordLine(**line._asdict()) for line in lines)
    )


@router.get(
    "/{video_id}/words.{form}",
    response_class=Response,
    responses=content(*_TYPES.values(), what="The lines as a file."),
)
def download_words(video_id: str, form: FileFormat, service: Served, track: Which = "speech") -> Response:
    """The same as a file: plain text, SubRip or WebVTT."""
    video = service.video(video_id)
    try:
        text = rendered(transcript(service.library, video, track), form)
    except LibraryError as error:
        raise Refusal(404, str(error)) from error
    return attached(text, _TYPES[form], video.name, form)
