"""Passes on a file of object storage, whole or the range that a player asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from longtake.remote import RemoteFile

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_PIECE = 1 << 18  # bytes


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
