"""Answers that a browser keeps and asks about again (RFC 9110, section 8.8.3 and 13.1.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from fastapi import Request, Response


def tag_of(*parts: object) -> str:
    """An entity tag that changes when one of the parts does."""
    return f'"{hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()}"'


def cached(request: Request, tag: str, media_type: str, make: Callable[[], bytes]) -> Response:
    """304 where the browser holds what the tag stands for, else its bytes, which are made only then."""
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}  # no-cache: kept, and asked about each time
    if tag in [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(make(), media_type=media_type, headers=headers)
