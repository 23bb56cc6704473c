"""What /openapi.json says beside the routes themselves: how errors look, what is no JSON, and what a token is."""

from __future__ import annotations

from typing import Any

from fastapi import Depends
from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

COOKIE = "longtake"  # that a browser gets for a token

# They refuse nobody, which is done before a request reaches a route (`Guard`): they tell what is wanted.
TOKEN_WANTED = [
    Depends(HTTPBearer(auto_error=False, scheme_name="token", description="What `serve --token` was given.")),
    Depends(APIKeyCookie(name=COOKIE, auto_error=False, scheme_name="cookie", description="Of POST /api/session.")),
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
