"""The server of `longtake serve`: its routes, what stands before them, and the files of the page."""

from __future__ import annotations

from importlib.resources import files
from mimetypes import guess_type

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longtake import __version__
from longtake.web import runs, threads, tracing, uploading, videos
from longtake.web.http import access
from longtake.web.http.access import Access, Guard
from longtake.web.http.cached import cached, tag_of
from longtake.web.http.described import ErrorBody, OpenAIErrorBody, errors, token_wanted
from longtake.web.http.limits import Limiter, Limits
from longtake.web.http.refusals import Refusal, answer_errors
from longtake.web.openai import openai_api
from longtake.web.service import Service

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
# The page of a trace is one file, with its script and style inside; it can call nothing.
_TRACE_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data: blob:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def create_app(service: Service, admitted: Access, limits: Limits | None = None) -> FastAPI:
    """The application that serves a library.

    Args:
        service: the library and the work on it; the app does not close it.
        admitted: who may ask.
        limits: what one client may ask; the ordinary ones by default.
    """
    app = FastAPI(
        title="Longtake",
        version=__version__,
        description="Answers questions about hour-long videos and shows the seconds that prove each answer.",
        docs_url=None,  # their pages are loaded from other servers
        redoc_url=None,
    )
    app.state.service = service
    app.state.access = admitted
    wanted = token_wanted(admitted.cookie_name) if admitted.token else []
    app.include_router(access.router, responses=errors(ErrorBody))
    for routes in (videos, uploading, threads, runs, tracing):
        app.include_router(routes.router, responses=errors(ErrorBody), dependencies=wanted)
    app.include_router(openai_api.router, responses=errors(OpenAIErrorBody), dependencies=wanted)
    app.include_router(_page())
    answer_errors(app)
    # The one added last stands first.
    app.add_middleware(Guard, access=admitted)
    app.add_middleware(Limiter, limits=limits or Limits())
    app.add_middleware(_SafeHeaders)
    return app


class _SafeHeaders:
    """ASGI middleware that tells browsers to load nothing from elsewhere and to show nothing of ours there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                policy = _TRACE_POLICY if scope["path"].startswith("/api/traces/") else _POLICY
                for name, value in {**_HEADERS, "Content-Security-Policy": policy}.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, answer)


def _page() -> APIRouter:
    """The page and its files, which are read once; a request chooses among them by name."""
    router = APIRouter(include_in_schema=False)
    folder = files("longtake.web") / "page"
    held = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file() and file.name != "__init__.py"}

    @router.get("/")
    def index(request: Request) -> Response:
        return file("index.html", request)

    @router.get("/page/{name}")
    def file(name: str, request: Request) -> Response:
        if name not in held:
            raise Refusal(404, "The page has no such file.")
        return cached(request, tag_of(held[name]), _type(name), lambda: held[name])

    return router


def _type(name: str) -> str:
    # What the machine's own tables say of .js differs; a module of another type is not run.
    kind = "text/javascript" if name.endswith(".js") else guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
