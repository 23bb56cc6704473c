"""Additions to /openapi.json: error bodies, bodies other than JSON, and security schemes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request, params
from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field


def security_schemes(cookie: str) -> list[params.Depends]:
    """Document that a token or this cookie is required. They refuse nothing themselves: `Guard` does."""
    return [
        Depends(HTTPBearer(auto_error=False, scheme_name="token", description="The token of `serve --token`.")),
        Depends(
            APIKeyCookie(name=cookie, auto_error=False, scheme_name="cookie", description="Set by POST /api/session.")
        ),
    ]


class ErrorDetail(BaseModel):
    """The error in one sentence, and its type."""

    message: str
    type: str


class ErrorBody(BaseModel):
    """An error, sometimes with facts that help to recover, such as the `offset` of an upload."""

    model_config = ConfigDict(extra="allow")

    error: ErrorDetail


class OpenAIErrorDetail(ErrorDetail):
    """The error as OpenAI's clients expect it."""

    param: None = None
    code: str | None = Field(default=None, description="Such as model_not_found.")


class OpenAIErrorBody(BaseModel):
    """An error of the OpenAI-compatible endpoint."""

    error: OpenAIErrorDetail


def errors(body: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route."""
    return {
        "4XX": {"model": body, "description": "The request is refused; the message says why and what to do."},
        "5XX": {
            "model": body,
            "description": "The request can't be served now; if there is a `Retry-After`, try again.",
        },
    }


def content(*media_types: str, what: str, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """A response other than JSON. Its route needs `response_class=Response`, or its errors would have that type too."""
    return {status: {"description": what, "content": {media_type: {} for media_type in media_types}}}


async def _raw(request: Request) -> bytes:
    return await request.body()


RawBody = Annotated[bytes, Depends(_raw)]  # of a route with `RAW_BODY`
RAW_BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}}
UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "Unchanged since the tag in the request."}}
PICTURE = {**content("image/jpeg", what="The picture."), **UNCHANGED}
EVENTS = content("text/event-stream", what="Server-sent events.")
