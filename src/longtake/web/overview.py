"""Route of what a video is about, to begin with."""

from __future__ import annotations

import threading
from contextlib import suppress

from fastapi import APIRouter, Request, Response
from pydantic import Field

from longtake.errors import ConfigError, EngineError
from longtake.exports.overview import suggested_questions, summary_of
from longtake.memory.library import VideoRecord
from longtake.memory.records import Modality, Record
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.http.cached import cached, tag_of
from longtake.web.http.described import UNCHANGED
from longtake.web.service import Served

_SECONDS = 10.0  # for a summary

router = APIRouter(prefix="/api/videos", tags=["videos"])
_alone = threading.Lock()  # an overview is no reason to slow two questions down


class SummaryLine(Record):
    """A line of the summary; times are seconds."""

    start: float
    end: float
    modality: Modality
    text: str


class Overview(Record):
    """The summary of a video, and questions that its lines answer; empty while nothing has been read."""

    lines: tuple[SummaryLine, ...] = ()
    questions: tuple[str, ...] = Field(default=(), description="Search finds the line of each.")


@router.get("/{video_id}/overview", response_model=Overview, responses=UNCHANGED)
def show_overview(video_id: str, request: Request, service: Served) -> Response:
    """What a video is about. It is made when it is first asked for, and again when the index has changed."""
    video = service.video(video_id)

    def make() -> bytes:
        with _alone:
            made = service.overviews.get(video.id)
            if made is None or made[0] != video.indexed:
                made = service.overviews[video.id] = video.indexed, _overview(service.workspace, video)
            return made[1]

    return cached(request, tag_of(video.id, video.indexed), "application/json", make)


def _overview(workspace: Workspace, video: VideoRecord) -> bytes:
    lines = tuple(
        SummaryLine(start=each.span.start, end=each.span.end, modality=each.modality, text=each.content)
        for each in summary_of(workspace, video, _SECONDS)
    )
    questions: list[str] = []
    with suppress(EngineError, ConfigError):  # nothing reads questions here
        questions = suggested_questions(workspace, video)
    return Overview(lines=lines, questions=tuple(questions)).model_dump_json().encode()
