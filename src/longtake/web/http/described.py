"""What /openapi.json says beside the routes themselves: how errors look, what is no JSON, and what a token is."""

from __future__ import annotations

from typing import Any

from fastapi import Depends, params
from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field


def token_wanted(cookie: str) -> list[params.Depends]:
    """What tells that a token is wanted, or the cookie of this name, and refuses nobody: `Guard` has done that."""
    return [
        Depends(HTTPBearer(auto_error=False, scheme_name="token", description="What `serve --token` was given.")),
        Depends(APIKeyCookie(name=cookie, auto_error=False, scheme_name="cookie", description="Of POST /api/session.")),
    ]


class ErrorDetail(BaseModel):
    """What went wrong, in one sentence, and its kind."""

    message: str
    type: str


class ErrorBody(BaseModel):
    """An error; facts that help to go on may stand beside it, such as the `offset` of an upload."""

    model_config = ConfigDict(extra="allow")

    error: ErrorDetail


class OpenAIErrorDetail(ErrorDetail):
    """What went wrong, as OpenAI's clients expect it."""

    param: None = None
    code: str | None = Field(default=None, description="Such as model_not_found.")


class OpenAIErrorBody(BaseModel):
    """An error of the OpenAI-compatible endpoint."""

    error: OpenAIErrorDetail


def errors(body: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """The responses of a route that may refuse."""
    return {
        "4XX": {"model": body, "description": "The request is refused; the sentence says why and what to do."},
        "5XX": {"model": body, "description": "It cannot be done now; where `Retry-After` stands, ask again."},
    }


def content(*media_types: str, what: str, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """A response that is no JSON. Its route has `response_class=Response`, or its errors would be of that type too."""
    return {status: {"description": what, "content": {media_type: {} for media_type in media_types}}}


EVENTS = content("text/event-stream", what="Server-sent events.")
