"""Route of what a video is about, to begin with."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from pydantic import Field

from longtake.exports.overview import suggested_questions, summary_of
from longtake.memory.library import VideoRecord
from longtake.memory.records import Modality, Record
from longtake.preprocess.layers.sections import Section, overview_of, sections_of
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.chapters import ChapterLine, chapter_lines
from longtake.web.http.cached import cached, tag_of
from longtake.web.http.described import UNCHANGED
from longtake.web.service import Served

_SECONDS = 10.0  # for a summary
_SECTIONS = 6  # the longest ones: all of them are the chapters

_WHOLE = "What is this video about?"

router = APIRouter(prefix="/api/videos", tags=["videos"])
_alone = threading.Lock()  # an overview is no reason to slow two questions down


class SummaryLine(Record):
    """A line of the summary; times are seconds."""

    start: float
    end: float
    modality: Modality
    text: str


class Overview(Record):
    """What a video is about, and questions about its parts; empty while nothing has been read."""

    text: str = Field(default="", description="What the language model says of it; empty if it wasn't asked.")
    sections: tuple[ChapterLine, ...] = Field(default=(), description="The longest ones that the model told of.")
    lines: tuple[SummaryLine, ...] = Field(default=(), description="The summary without a language model.")
    questions: tuple[str, ...] = Field(default=(), description="About its parts.")


@router.get("/{video_id}/overview", response_model=Overview, responses=UNCHANGED)
def show_overview(video_id: str, request: Request, service: Served) -> Response:
    """What a video is about. It is made when it is first asked for, and again when the index has changed."""
    video = service.video(video_id)

    layers = (video.layers.get(name) for name in ("sections", "outline"))
    tag = tag_of(video.id, video.indexed, *layers)

    def make() -> bytes:
        with _alone:
            made = service.overviews.get(video.id)
            if made is None or made[0] != tag:
                made = service.overviews[video.id] = tag, _overview(service.workspace, video)
            return made[1]

    return cached(request, tag, "application/json", make)


def _overview(workspace: Workspace, video: VideoRecord) -> bytes:
    text = overview_of(workspace.library, video)
    sections = _longest(sections_of(workspace.library, video)) if "outline" in video.layers else ()
    lines = () if text or sections else _summary(workspace, video)
    questions = suggested_questions(workspace.library, video) or [_WHOLE] * bool(lines)
    overview = Overview(text=text, sections=sections, lines=lines, questions=tuple(questions))
    return overview.model_dump_json().encode()


def _longest(sections: Sequence[Section]) -> tuple[ChapterLine, ...]:
    longest = sorted(sections, key=lambda each: each.start - each.end)[:_SECTIONS]
    return chapter_lines(sorted(longest))


def _summary(workspace: Workspace, video: VideoRecord) -> tuple[SummaryLine, ...]:
    return tuple(
        SummaryLine(start=each.span.start, end=each.span.end, modality=each.modality, text=each.text)
        for each in summary_of(workspace, video, _SECONDS)
    )
