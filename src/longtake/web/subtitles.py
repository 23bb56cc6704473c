"""Route of a video's subtitles."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from longtake.web.http.described import RAW_BODY, RawBody
from longtake.web.service import Served
from longtake.web.uploads import MAX_NAME_LENGTH, NAME
from longtake.web.videos import VideoDetails, shown

router = APIRouter(prefix="/api/videos", tags=["videos"])


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
