"""Routes of the folders that `serve --folder` allows: their media files, with pictures of them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from longtake.memory.records import Record
from longtake.preprocess.media.media_files import name_problem, readable
from longtake.web.http.cached import cached, tag_of
from longtake.web.http.described import PICTURE
from longtake.web.service import Served
from longtake.web.stills import thumbnail_of

router = APIRouter(prefix="/api/folders", tags=["videos"])


class AllowedFile(Record):
    """A media file in an allowed folder."""

    path: str
    name: str
    folder: str = Field(description="Its folder, from the name of the allowed folder on, with slashes.")
    bytes: int
    changed: float = Field(description="Seconds since the epoch.")
    video: str | None = Field(description="The library's video that was read from it.")
    problem: str | None = Field(description="Why it can't be added, and what to do.")


class FileList(Record):
    """The files that may be added by path."""

    files: tuple[AllowedFile, ...]
    cut: bool = Field(description="Whether there are more; those can be added too.")


@router.get("")
def list_files(service: Served) -> FileList:
    """The media files of the folders that `serve --folder` allows."""
    files, cut = service.folders.files()
    known = {(video.path, video.size, video.modified): video.id for video in service.library.videos()}
    found = []
    for file in files:
        with suppress(FileNotFoundError):  # it was deleted since it was listed
            status = file.stat()
            found.append(
                AllowedFile(
                    path=readable(file),
                    name=readable(Path(file.name)),
                    folder=readable(Path(service.folders.folder_of(file))),
                    bytes=status.st_size,
                    changed=status.st_mtime,
                    video=known.get((str(file), status.st_size, status.st_mtime_ns)),
                    problem=name_problem(file),
                )
            )
    return FileList(files=tuple(found), cut=cut)


@router.get("/thumbnail", response_class=Response, responses=PICTURE)
def show_thumbnail(
    path: Annotated[str, Query(max_length=4_096, description="A file that /api/folders lists.")],
    request: Request,
    service: Served,
) -> Response:
    """A small picture of a file that may be added, as JPEG."""
    file = service.folders.file(path)
    status = file.stat()
    tag = tag_of(path, status.st_size, status.st_mtime_ns)
    return cached(request, tag, "image/jpeg", lambda: thumbnail_of(file))
