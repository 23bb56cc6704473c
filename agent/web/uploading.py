"""Routes of uploads: begin, send chunk after chunk, ask how far it is, give up."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request

from longtake.agent.web.service import Served
from longtake.agent.web.uploads import CHUNK, Upload

router = APIRouter(prefix="/api/uploads", tags=["uploads"])
_RAW = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}}


async def _raw(request: Request) -> bytes:
    return await request.body()


@router.post("", status_code=201)
def begin_upload(upload: Upload, service: Served) -> dict[str, Any]:
    """Begin: say the file's name and size, and get an id and how many bytes to send at once."""
    return {"id": service.uploads.begin(upload), "offset": 0, "chunk": CHUNK}


@router.get("/{upload_id}")
def show_upload(upload_id: str, service: Served) -> dict[str, Any]:
    """How far an upload is: where to go on after a break."""
    upload, offset = service.uploads.get(upload_id)
    video = {"video": upload.video} if upload.video else {}
    return {"name": upload.name, "size": upload.size, "offset": offset, "chunk": CHUNK} | video


@router.patch("/{upload_id}", openapi_extra=_RAW)
def send_chunk(
    upload_id: str,
    service: Served,
    body: Annotated[bytes, Depends(_raw)],
    offset: Annotated[int, Header(alias="Upload-Offset", ge=0)],
) -> dict[str, Any]:
    """Send the bytes from an offset on; after the last ones the file is a video of the library, and is indexed.

    A last chunk whose answer was lost is followed by an empty one, for a day.
    """
    there = service.uploads.append(upload_id, offset, body)
    upload, _ = service.uploads.get(upload_id)
    return {"offset": there} | ({"video": service.finish_upload(upload_id).id} if there == upload.size else {})


@router.delete("/{upload_id}", status_code=204)
def delete_upload(upload_id: str, service: Served) -> None:
    """Give an upload up."""
    service.uploads.delete(upload_id)
