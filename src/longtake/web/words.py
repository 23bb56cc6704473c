"""Routes of a video's words: what is said, the text on screen, and subtitles that are added."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from longtake.errors import LibraryError
from longtake.exports.transcript import TimedLine, Track, read_by, rendered, transcript
from longtake.memory.records import Record
from longtake.web.http.described import RAW_BODY, RawBody, content
from longtake.web.http.downloads import attached
from longtake.web.http.refusals import Refusal
from longtake.web.service import Served
from longtake.web.uploads import MAX_NAME_LENGTH, NAME
from longtake.web.videos import VideoDetails, shown

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


@router.put("/{video_id}/subtitles", status_code=202, openapi_extra=RAW_BODY)
def add_subtitles(
    video_id: str,
    service: Served,
    body: RawBody,
    name: Annotated[str, Query(min_length=1, max_length=MAX_NAME_LENGTH, pattern=NAME, description="Of the file.")],
) -> VideoDetails:
    """Add a subtitle file or transcript, of at most 1 MiB, to a video whose file the library keeps, and index it."""
    service.add_subtitles(service.video(video_id), name, body)
    return shown(service, service.video(video_id))
