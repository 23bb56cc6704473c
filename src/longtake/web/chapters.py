"""Routes of a video's chapters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from longtake.exports.chapters import as_text, as_vtt
from longtake.memory.records import Record
from longtake.preprocess.layers.sections import NONE, Section, sections_of
from longtake.web.http.cached import cached, tag_of
from longtake.web.http.described import UNCHANGED, content
from longtake.web.http.downloads import attached
from longtake.web.http.refusals import Refusal
from longtake.web.service import Served

_FORMATS = {"txt": ("text/plain", as_text), "vtt": ("text/vtt", as_vtt)}

router = APIRouter(prefix="/api/videos", tags=["videos"])


class ChapterLine(Record):
    """A chapter; times are seconds."""

    start: float
    end: float
    title: str
    text: str = Field(description="What it is about, in two lines; may be empty.")


class ChapterList(Record):
    """The chapters of a video, from its start to its end; none if it is short or about one thing."""

    chapters: tuple[ChapterLine, ...] = Field(description="Empty while nothing has been read.")


@router.get("/{video_id}/chapters", response_model=ChapterList, responses=UNCHANGED)
def list_chapters(video_id: str, request: Request, service: Served) -> Response:
    """Where the topic of a video changes."""
    video = service.video(video_id)

    def make() -> bytes:
        chapters = chapter_lines(sections_of(service.library, video))
        return ChapterList(chapters=chapters).model_dump_json().encode()

    tag = tag_of(video.id, video.layers.get("sections"), video.layers.get("outline"))
    return cached(request, tag, "application/json", make)


@router.get(
    "/{video_id}/chapters.{form}",
    response_class=Response,
    responses=content(*(kind for kind, _ in _FORMATS.values()), what="The chapters as a file."),
)
def download_chapters(video_id: str, form: Literal["txt", "vtt"], service: Served) -> Response:
    """The same as a file: lines for a description, or WebVTT for a player."""
    video = service.video(video_id)
    chapters = sections_of(service.library, video)
    if not chapters:
        raise Refusal(404, NONE.format(name=video.name))
    kind, render = _FORMATS[form]
    return attached(render(chapters), kind, video.name, form)


def chapter_lines(sections: Iterable[Section]) -> tuple[ChapterLine, ...]:
    """Sections as chapters."""
    return tuple(ChapterLine(start=each.start, end=each.end, title=each.title, text=each.text) for each in sections)
