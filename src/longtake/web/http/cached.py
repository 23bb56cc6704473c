"""Responses that browsers cache and revalidate (RFC 9110, sections 8.8.3 and 13.1.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from fastapi import Request, Response


def tag_of(*parts: object) -> str:
    """An entity tag that changes whenever one of the parts does."""
    return f'"{hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()}"'


def cached(request: Request, tag: str, media_type: str, make: Callable[[], bytes]) -> Response:
    """304 if the browser has the content of this tag, else the content, which is made only then."""
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}  # no-cache: stored, but revalidated each time
    if tag in [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(make(), media_type=media_type, headers=headers)
