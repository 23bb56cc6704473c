"""Refusals: the errors of the API, each one sentence with an HTTP status."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from longtake.errors import EngineError, LibraryUnavailable, LongtakeError, ThreadBusy

log = logging.getLogger(__name__)
TYPES = {
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    413: "too_large",
    429: "too_many",
    500: "unavailable",
    503: "unavailable",
    507: "unavailable",
}
_OPENAI = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_STATUS = {EngineError: 503, LibraryUnavailable: 503, ThreadBusy: 409}
_OTHERWISE = "invalid_request"
_INTERNAL_ERROR = "Longtake had an internal error: see the log of `longtake serve`."


class Refusal(LongtakeError):
    """A refused request; `facts` go next to the error in the body, `headers` with the response."""

    def __init__(self, status: int, sentence: str, *, headers: Mapping[str, str] | None = None, **facts: Any) -> None:
        super().__init__(sentence)
        self.status = status
        self.headers = headers
        self.facts = facts


def status_of(error: BaseException, otherwise: int) -> int:
    """The HTTP status of an error that isn't a refusal."""
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), otherwise)


def openai_error(refusal: Refusal) -> dict[str, Any]:
    """A refusal in the format of OpenAI's errors."""
    kind = _OPENAI.get(refusal.status, "server_error" if refusal.status >= 500 else "invalid_request_error")
    return {"error": {"message": str(refusal), "type": kind, "param": None, "code": refusal.facts.get("code")}}


def refused(error: Refusal, path: str) -> JSONResponse:
    """The response for a refused request to a path."""
    if path.startswith("/v1/"):
        # By default clients resend a failed request with all its bytes, which helps only if the refusal is temporary.
        retry = {"x-should-retry": "true" if error.status in (429, 503) else "false"}
        return JSONResponse(openai_error(error), error.status, {**retry, **(error.headers or {})})
    body = {"error": {"message": str(error), "type": TYPES.get(error.status, _OTHERWISE)}, **error.facts}
    return JSONResponse(body, error.status, error.headers)


def answer_errors(app: FastAPI) -> None:
    """Turn exceptions into error responses of the API; internal errors keep their traceback in the log."""

    @app.exception_handler(LongtakeError)
    def longtake_error(request: Request, error: LongtakeError) -> Response:
        if isinstance(error, Refusal):
            return refused(error, request.url.path)
        status = status_of(error, 400)
        if status >= 500:
            log.warning("%s %s: %s", request.method, request.url.path, error)
        return refused(Refusal(status, str(error)), request.url.path)

    @app.exception_handler(RequestValidationError)
    def wrong_request(request: Request, error: RequestValidationError) -> Response:
        return refused(Refusal(400, _validation_sentence(error.errors())), request.url.path)

    @app.exception_handler(HTTPException)
    def http_error(request: Request, error: HTTPException) -> Response:
        phrase = HTTPStatus(error.status_code).phrase
        sentence = f"{request.method} {request.url.path}: {phrase}; see /openapi.json."
        return refused(Refusal(error.status_code, sentence, headers=error.headers), request.url.path)

    @app.exception_handler(ClientDisconnect)
    def gone(request: Request, error: ClientDisconnect) -> Response:
        return refused(Refusal(400, "The connection broke before the request was complete."), request.url.path)

    @app.exception_handler(Exception)
    def internal_error(request: Request, error: Exception) -> Response:
        return refused(Refusal(500, _INTERNAL_ERROR), request.url.path)


def _validation_sentence(errors: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong with a request, in one sentence: the part of it that was read furthest, and what is wrong there."""
    where, *_ = first = max((tuple(each["loc"]) for each in errors), key=len)
    if first == ("body",):
        return "The body isn't a JSON object: send one, with the header Content-Type: application/json."
    told = next(each for each in errors if tuple(each["loc"]) == first)
    if told["type"] == "json_invalid":
        return f"The body isn't valid JSON: {told['ctx']['error']} at character {first[1]}."
    fault = str(told["msg"]).removeprefix("Value error, ")
    # Names of types, such as `list[Part]`, stand for the branches of a union that were tried.
    places = [each for each in first[1:] if isinstance(each, int) or (each.isidentifier() and each != "str")]
    named = " of ".join(f"number {each + 1}" if isinstance(each, int) else f"`{each}`" for each in reversed(places))
    return f"In the {where}, {named}: {fault}."
