"""Routes of uploads: begin, send chunk after chunk, ask how far it is, give up."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from pydantic import Field

from longtake.memory.records import Record
from longtake.web.service import Served
from longtake.web.uploads import CHUNK, KeptUpload, Upload

router = APIRouter(prefix="/api/uploads", tags=["uploads"])
_RAW = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}}


class BegunUpload(Record):
    """An upload that may be sent."""

    id: str
    offset: int = Field(description="Bytes that are there.")
    chunk: int = Field(description="Bytes to send at once, at most.")


class UploadState(KeptUpload):
    """How far an upload is."""

    offset: int = Field(description="Bytes that are there.")
    chunk: int = Field(description="Bytes to send at once, at most.")


class SentChunk(Record):
    """What is there after a chunk, and the id of the video once that is all."""

    offset: int = Field(description="Bytes that are there.")
    video: str | None = None


async def _raw(request: Request) -> bytes:
    return await request.body()


@router.post("", status_code=201)
def begin_upload(upload: Upload, service: Served) -> BegunUpload:
    """Begin: say the file's name and size, and get an id and how many bytes to send at once."""
    return BegunUpload(id=service.uploads.begin(upload), offset=0, chunk=CHUNK)


@router.get("/{upload_id}")
def show_upload(upload_id: str, service: Served) -> UploadState:
    """How far an upload is: where to go on after a break."""
    upload, offset = service.uploads.get(upload_id)
    return UploadState(**upload.model_dump(), offset=offset, chunk=CHUNK)


@router.patch("/{upload_id}", openapi_extra=_RAW)
def send_chunk(
    upload_id: str,
    service: Served,
    body: Annotated[bytes, Depends(_raw)],
    offset: Annotated[int, Header(alias="Upload-Offset", ge=0)],
) -> SentChunk:
    """Send the bytes from an offset on; after the last ones the file is a video of the library, and is indexed.

    A last chunk whose answer was lost is followed by an empty one, for a day.
    """
    there = service.uploads.append(upload_id, offset, body)
    upload, _ = service.uploads.get(upload_id)
    return SentChunk(offset=there, video=service.finish_upload(upload_id).id if there == upload.size else None)


@router.delete("/{upload_id}", status_code=204)
def delete_upload(upload_id: str, service: Served) -> None:
    """Give an upload up."""
    service.uploads.delete(upload_id)
