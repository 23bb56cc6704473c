"""The application of `longtake serve`: routes, middleware and the files of the page."""

from __future__ import annotations

from importlib.resources import files
from mimetypes import guess_type

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longtake import __version__
from longtake.web import (
    chapters,
    entities,
    fetching,
    folder_routes,
    models_routes,
    overview,
    runs,
    settings_routes,
    threads,
    tracing,
    uploading,
    videos,
    words,
)
from longtake.web.http import access
from longtake.web.http.access import Access, Guard
from longtake.web.http.cached import cached, tag_of
from longtake.web.http.described import ErrorBody, OpenAIErrorBody, errors, security_schemes
from longtake.web.http.limits import Limiter, Limits
from longtake.web.http.refusals import Refusal, answer_errors
from longtake.web.openai import openai_api
from longtake.web.service import Service

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
# The page of a trace is one file with inline script and style; it can't call the API.
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
        service: the library and the work on it; the app doesn't close it.
        admitted: which clients get in.
        limits: per client; default ones if None.
    """
    app = FastAPI(
        title="Longtake",
        version=__version__,
        description="Answers questions about hour-long videos and shows the seconds that prove each answer.",
        docs_url=None,  # these pages load scripts from other servers
        redoc_url=None,
    )
    app.state.service = service
    app.state.access = admitted
    security = security_schemes(admitted.cookie_name) if admitted.token else []
    app.include_router(access.router, responses=errors(ErrorBody))
    of_videos = (videos, folder_routes, words, chapters, entities, overview, uploading, fetching)
    for routes in (*of_videos, threads, runs, models_routes, settings_routes, tracing):
        app.include_router(routes.router, responses=errors(ErrorBody), dependencies=security)
    app.include_router(openai_api.router, responses=errors(OpenAIErrorBody), dependencies=security)
    app.include_router(_page())
    answer_errors(app)
    # The middleware added last runs first.
    app.add_middleware(Guard, access=admitted)
    app.add_middleware(Limiter, limits=limits or Limits())
    app.add_middleware(_SafeHeaders)
    return app


class _SafeHeaders:
    """ASGI middleware whose headers stop browsers from loading foreign content, or embedding ours elsewhere."""

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
    """Routes of the page and its files, which are read once and served by name."""
    router = APIRouter(include_in_schema=False)
    folder = files("longtake.web") / "page"
    served = [file for file in folder.iterdir() if file.is_file() and file.name != "__init__.py"]
    contents = {file.name: file.read_bytes() for file in served}

    @router.get("/")
    def index(request: Request) -> Response:
        return file("index.html", request)

    @router.get("/page/{name}")
    def file(name: str, request: Request) -> Response:
        if name not in contents:
            raise Refusal(404, "The page has no such file.")
        return cached(request, tag_of(contents[name]), _type(name), lambda: contents[name])

    return router


def _type(name: str) -> str:
    # Systems map .js to different types, and browsers run a module only as text/javascript.
    kind = "text/javascript" if name.endswith(".js") else guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
