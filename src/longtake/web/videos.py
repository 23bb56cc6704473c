"""Routes of the library: videos, indexing progress, timeline lanes, files and pictures."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from pydantic import Field

from longtake.agent.graph.agent import MAX_QUESTION_LENGTH
from longtake.agent.traces.pages.media_types import content_type, playable
from longtake.agent.traces.pages.page_videos import Lanes, lanes_of
from longtake.errors import LibraryError
from longtake.memory.layers import canonical_json
from longtake.memory.library import LAYERS, VideoRecord
from longtake.memory.records import Record
from longtake.memory.search.search_types import SearchFilter
from longtake.preprocess.media.contents import FilePart
from longtake.preprocess.media.media import TRANSCRIPT
from longtake.preprocess.media.sources import contents_of, media_of, source
from longtake.remote import RemoteFile
from longtake.web.event_feed import EventStream
from longtake.web.http.cached import cached, tag_of
from longtake.web.http.described import EVENTS, PICTURE, content
from longtake.web.http.refusals import Refusal
from longtake.web.indexing import progress_of, unavailable
from longtake.web.progress import IndexingProgress
from longtake.web.service import Served, Service
from longtake.web.stills import THUMBNAIL_AT, THUMBNAIL_WIDTH, WIDEST, gone, still

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_PIECE = 1 << 18  # bytes
_TICK = 0.25  # seconds between two checks of a job
_TRANSCRIPTS = {"speech", "subtitles"}
_FILE = {
    **content("video/*", "audio/*", what="The whole file."),
    **content("video/*", "audio/*", status=206, what="The requested range."),
    416: {"description": "The range is beyond the end of the file."},
}

router = APIRouter(prefix="/api", tags=["videos"])


class LayerShare(Record):
    """A layer, and the share of the timeline it covers, 0 to 1."""

    name: str
    share: float


class VideoDetails(Record):
    """A video of the library."""

    id: str
    name: str
    duration: float = Field(description="Seconds.")
    width: int | None = Field(description="Pixels, as displayed; null without a picture, or while unknown.")
    height: int | None
    bytes: int
    modified: float = Field(description="When its file was last changed, in seconds since the epoch.")
    stored: bool = Field(description="Whether its file was uploaded to the library, and is deleted with it.")
    complete: bool
    transcript: bool = Field(description="Whether it is a transcript by itself, without picture and sound.")
    playable: bool = Field(description="Whether current browsers can play it and its file exists.")
    layers: tuple[LayerShare, ...]
    progress: IndexingProgress | None
    problems: dict[str, str]
    left_out: tuple[str, ...] = Field(description="Sentences about parts of the file that couldn't be read.")
    contents: tuple[FilePart, ...] = Field(description="What the file holds, and what of it is read.")


class VideoList(Record):
    """The videos of the library."""

    videos: tuple[VideoDetails, ...]


class FoundPlace(Record):
    """A place that a search found; times are seconds. A weak one is only the nearest there is."""

    video: str
    start: float
    end: float
    modality: str
    text: str
    weak: bool


class Places(Record):
    """What a search found, best first."""

    places: tuple[FoundPlace, ...]


class Added(Record):
    """A file to add: one in an allowed folder, as /api/folders lists them."""

    path: str = Field(max_length=4_096)


@router.get("/videos")
def list_videos(service: Served) -> VideoList:
    """Every video, by name."""
    return VideoList(videos=tuple(shown(service, video) for video in service.library.videos()))


@router.get("/search")
def search(service: Served, query: Annotated[str, Query(min_length=1, max_length=MAX_QUESTION_LENGTH)]) -> Places:
    """Where something is said, written, heard or seen in the library."""
    hits = service.workspace.search(query, SearchFilter())
    return Places(
        places=tuple(
            FoundPlace(
                video=hit.moment.video,
                start=hit.moment.span.start,
                end=hit.moment.span.end,
                modality=hit.moment.modality,
                text=hit.moment.text,
                weak=hit.weak,
            )
            for hit in hits
        )
    )


@router.post("/videos", status_code=202)
def add_video(added: Added, service: Served) -> VideoDetails:
    """Add a file of an allowed folder and index it."""
    return shown(service, service.add(service.folders.file(added.path)))


@router.get("/videos/{video_id}")
def show_video(video_id: str, service: Served) -> VideoDetails:
    """Show what the library knows of a video, and how far its indexing is."""
    return shown(service, service.video(video_id))


@router.post("/videos/{video_id}/index", status_code=202)
def index_again(video_id: str, service: Served) -> VideoDetails:
    """Index a video again, with the engines available now. Layers that are up to date aren't rebuilt."""
    video = service.video(video_id)
    service.indexing.add(video)
    return shown(service, video)


@router.delete("/videos/{video_id}", status_code=204)
def delete_video(video_id: str, service: Served) -> None:
    """Delete a video with its layers, and its file if that was uploaded; a file added by path isn't touched.

    Chats about it stay, with their answers and quotes, but nothing plays where they cite it.
    """
    service.delete(service.video(video_id))


@router.get("/videos/{video_id}/progress", response_class=Response, responses=EVENTS)
def follow_indexing(video_id: str, service: Served) -> Response:
    """Server-sent events `progress` of indexing, until it is done, has failed or the video is deleted."""
    video = service.video(video_id)

    async def events() -> AsyncIterator[str]:
        last = None
        while last is None or not last.over:
            kept = service.library.get(video.id)
            if last and not kept:
                return  # the video was deleted
            now = service.indexing.progress(video.id) or progress_of(kept or video)
            if now != last:
                yield f"event: progress\ndata: {canonical_json(now.model_dump())}\n\n"
            last = now
            await asyncio.sleep(_TICK)

    return EventStream(events())


@router.get("/videos/{video_id}/lanes")
def show_lanes(video_id: str, service: Served) -> Lanes:
    """The contents of the layers, for a timeline."""
    return lanes_of(service.library, service.video(video_id))


@router.get("/videos/{video_id}/file", response_class=Response, responses=_FILE)
def play(video_id: str, request: Request, service: Served) -> Response:
    """The media file, whole or in ranges (206; 416 beyond its end)."""
    video = service.video(video_id)
    path, media = source(video), media_of(service.library, video)
    if path is None or media is None:
        raise Refusal(404, gone(video))
    headers = {"Cache-Control": "private, no-cache"}
    if isinstance(path, RemoteFile):
        return remote_response(request, path, content_type(media), headers)
    return FileResponse(path, media_type=content_type(media), headers=headers)


@router.get("/videos/{video_id}/still", response_class=Response, responses=PICTURE)
def show_still(
    video_id: str,
    request: Request,
    service: Served,
    at: Annotated[float, Query(ge=0, description="Seconds.")],
    width: Annotated[int, Query(ge=16, le=WIDEST, description="Maximum pixels.")] = WIDEST,
) -> Response:
    """The picture at a time, as JPEG."""
    video = service.video(video_id)
    at = min(at, video.duration)
    tag = tag_of(video.id, video.layers.get("keyframes"), at, width)
    return cached(request, tag, "image/jpeg", lambda: still(service.library, video, at, width))


@router.get("/videos/{video_id}/thumbnail", response_class=Response, responses=PICTURE)
def show_thumbnail(video_id: str, request: Request, service: Served) -> Response:
    """A small picture of the video, as JPEG."""
    duration = service.video(video_id).duration
    return show_still(video_id, request, service, THUMBNAIL_AT * duration, THUMBNAIL_WIDTH)


def shown(service: Service, video: VideoRecord) -> VideoDetails:
    """A video as the API shows it."""
    progress = service.indexing.progress(video.id)
    media = media_of(service.library, video)
    picture = media.video if media else None
    layers, problems = [], progress.problems if progress else {}
    left_out: dict[str, None] = {}  # the layers of one pass skip the same parts
    for name in (name for name in LAYERS if name in video.layers):
        try:
            layer = service.library.layer(video, name)
            layers.append(LayerShare(name=name, share=layer.share(video.duration) if layer else 0.0))
            left_out.update(dict.fromkeys(layer.told() if layer else ()))
        except LibraryError as error:  # a damaged layer hides neither the others nor other videos
            problems[name] = str(error)
    if media and media.audio and not progress and not _TRANSCRIPTS & video.layers.keys():
        missing = unavailable(service.workspace.engines).get("speech")
        problems.setdefault("speech", missing or "Index the video again to transcribe it.")
    return VideoDetails(
        id=video.id,
        name=video.name,
        duration=video.duration,
        width=picture.width if picture else None,
        height=picture.height if picture else None,
        bytes=video.size,
        modified=video.modified / 1e9,
        stored=service.uploads.file(video.id) is not None,
        complete=video.complete,
        transcript=media is not None and media.container == TRANSCRIPT,
        playable=media is not None and playable(media) and source(video) is not None,
        layers=tuple(layers),
        progress=progress,
        problems=problems,
        left_out=tuple(left_out),
        contents=tuple(contents_of(service.library, video, media)),
    )


def remote_response(request: Request, path: RemoteFile, media_type: str, headers: Mapping[str, str]) -> Response:
    """The bytes that a request asks for: 200 for all, 206 for a range, 416 for one beyond the end."""
    size = path.stat().st_size
    asked = _RANGE.fullmatch(request.headers.get("range", ""))
    first, last = 0, size - 1
    if asked and asked[1]:
        first, last = int(asked[1]), min(int(asked[2] or last), last)
    elif asked and asked[2]:
        first = max(0, size - int(asked[2]))
    if first > last:
        return Response(status_code=416, headers={"Content-Range": f"bytes */{size}"})
    told = {**headers, "Accept-Ranges": "bytes", "Content-Length": str(last + 1 - first)}
    if asked:
        told["Content-Range"] = f"bytes {first}-{last}/{size}"
    return StreamingResponse(_pieces(path, first, last + 1), 206 if asked else 200, told, media_type)


def _pieces(path: RemoteFile, start: int, end: int) -> Iterator[bytes]:
    with path.open() as stream:
        stream.seek(start)
        while start < end and (piece := stream.read(min(_PIECE, end - start))):
            start += len(piece)
            yield piece
