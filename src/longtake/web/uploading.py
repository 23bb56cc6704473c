"""Routes of uploads: start, send chunks, check progress, cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header
from pydantic import Field

from longtake.memory.records import Record
from longtake.web.http.described import RAW_BODY, RawBody
from longtake.web.service import Served
from longtake.web.uploads import CHUNK, KeptUpload, Upload

router = APIRouter(prefix="/api/uploads", tags=["uploads"])


class BegunUpload(Record):
    """A started upload."""

    id: str
    offset: int = Field(description="Bytes received.")
    chunk: int = Field(description="Maximum bytes per chunk.")


class UploadState(KeptUpload):
    """The state of an upload."""

    offset: int = Field(description="Bytes received.")
    chunk: int = Field(description="Maximum bytes per chunk.")


class SentChunk(Record):
    """The bytes received after a chunk, and the video's id once the upload is complete."""

    offset: int = Field(description="Bytes received.")
    video: str | None = None


@router.post("", status_code=201)
def begin_upload(upload: Upload, service: Served) -> BegunUpload:
    """Start an upload with the file's name and size; returns its id and the chunk size."""
    return BegunUpload(id=service.uploads.begin(upload), offset=0, chunk=CHUNK)


@router.get("/{upload_id}")
def show_upload(upload_id: str, service: Served) -> UploadState:
    """The state of an upload: where to resume after an interruption."""
    upload, offset = service.uploads.get(upload_id)
    return UploadState(**upload.model_dump(), offset=offset, chunk=CHUNK)


@router.patch("/{upload_id}", openapi_extra=RAW_BODY)
def send_chunk(
    upload_id: str,
    service: Served,
    body: RawBody,
    offset: Annotated[int, Header(alias="Upload-Offset", ge=0)],
) -> SentChunk:
    """Send the bytes from an offset on. After the last chunk the file joins the library and is indexed.

    Subtitles and transcripts with the name of a video join that video, whose id is then returned.

    If the response to the last chunk was lost, send an empty chunk within a day to get it again.
    """
    received = service.uploads.append(upload_id, offset, body)
    upload, _ = service.uploads.get(upload_id)
    complete = received == upload.size
    return SentChunk(offset=received, video=service.finish_upload(upload_id).id if complete else None)


@router.delete("/{upload_id}", status_code=204)
def delete_upload(upload_id: str, service: Served) -> None:
    """Cancel an upload."""
    service.uploads.delete(upload_id)
