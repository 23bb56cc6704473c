"""Who may ask: the names the server answers to, requests of its own page, and a token."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from longtake.agent.web.refusals import Refusal, refused
from longtake.errors import ConfigError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
LONGEST_TOKEN = 1_000
_COOKIE = "longtake"
_OWN_SITE = ("", "none", "same-origin")  # of Sec-Fetch-Site: no browser, typed in by hand, or our page


@dataclass(frozen=True)
class Access:
    """The names by which the server may be called, the token it wants, if any, and whether any address is a name of it;
    `origins` are the names, some with a port, at which a proxy shows its pages.

    A page of another site can make its visitors' browsers call a server of theirs under a name of its own (DNS
    rebinding): so the names count, not the address that was reached. An address given in figures cannot be rebound.
    """

    names: frozenset[str] = LOOPBACK
    token: str | None = None
    any_address: bool = False
    origins: frozenset[str] = frozenset()

    @classmethod
    def at(cls, host: str, token: str | None, proxied: Sequence[str] = ()) -> Access:
        """Access to a server that listens at an address.

        Args:
            host: the address, or a name of it.
            token: what is wanted of everybody.
            proxied: names, some with a port, under which a proxy passes requests on.

        Raises:
            ConfigError: when an address that other machines reach has no token, the token cannot stand in a header, or
                a name is none.
        """
        origins = frozenset(name.lower() for name in proxied)
        names = LOOPBACK | {_hostname(name) for name in origins} | {host.lower()}
        if token and not (token.isascii() and token.isprintable() and " " not in token):
            raise ConfigError(
                "The token of --token may hold letters without accents, figures and signs, and no spaces."
            )
        local = _is_loopback(host)
        if not token and (origins or not local):
            remedy = "leave out --name" if proxied else "listen at 127.0.0.1"
            raise ConfigError(
                f"{proxied[0] if proxied else host} can be reached from other machines, and without a token anybody "
                f"there could use the library: give one with --token, or {remedy}."
            )
        if local:
            return cls(names, token or None, origins=origins)
        name = socket.gethostname().lower()
        return cls(names | {name, f"{name}.local"}, token, any_address=_is_wildcard(host), origins=origins)

    def knows_host(self, header: str) -> bool:
        """Whether a Host header names this server."""
        try:
            name = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        return name in self.names or (self.any_address and _is_address(name))

    def knows_origin(self, origin: str, host: str) -> bool:
        """Whether an Origin header names our own page, at the Host called or at a proxy.

        Its scheme does not count: behind a proxy nothing tells which one is right.
        """
        return origin.partition("://")[2] in {host, *self.origins}

    def knows_token(self, given: str | None) -> bool:
        """Whether it is the token; the time this takes does not tell how much of it is right."""
        return given is not None and self.token is not None and _same(given, self.token)

    @property
    def cookie(self) -> str:
        """What the cookie holds for those who gave the token: it proves the token and does not tell it."""
        return hmac.new((self.token or "").encode(), b"longtake session", hashlib.sha256).hexdigest()

    def admits(self, headers: Headers) -> bool:
        """Whether a request brings the token or the cookie, where there is a token."""
        if self.token is None:
            return True
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.knows_token(bearer.strip()):
            return True
        # Cookies of other programs on this host come along, in any form: a strict parser would give up on all of them.
        return _same(cookie_parser(headers.get("cookie", "")).get(_COOKIE, ""), self.cookie)


class Guard:
    """ASGI middleware that refuses foreign names, other sites' pages and those without the token."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with 401 or 403."""
        problem = self._problem(scope) if scope["type"] == "http" else None
        await (refused(problem) if problem else self._app)(scope, receive, send)

    def _problem(self, scope: Scope) -> Refusal | None:
        headers, path = Headers(scope=scope), scope["path"]
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._access.knows_host(host):
            return Refusal(403, "This server is not called by that name: use the address that it said when it began.")
        if origin is not None and not self._access.knows_origin(origin, host):
            return Refusal(403, "Pages of other sites may not use this server.")
        public = path == "/" or path.startswith("/page/")
        if not public and headers.get("sec-fetch-site", "") not in _OWN_SITE:
            return Refusal(403, "Pages of other sites may not use this server.")
        if public or path == "/api/session" or self._access.admits(headers):
            return None
        return Refusal(401, "This server wants its token.", headers={"WWW-Authenticate": "Bearer"})


class Token(BaseModel):
    """The token that `longtake serve` was given."""

    token: str = Field(max_length=LONGEST_TOKEN)


router = APIRouter(tags=["access"])


@router.post("/api/session", status_code=204)
def open_session(given: Token, request: Request) -> Response:
    """Give the token for a cookie, which a browser sends along from then on."""
    access: Access = request.app.state.access
    if access.token is not None and not access.knows_token(given.token):
        raise Refusal(401, "That is not the token of this server.")
    response = Response(status_code=204)
    behind_tls = request.headers.get("origin", "").startswith("https://")  # the server itself is always called by http
    response.set_cookie(_COOKIE, access.cookie, httponly=True, samesite="strict", secure=behind_tls)
    return response


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _hostname(name: str) -> str:
    """The host of a name that may have a port."""
    try:
        parts = urlsplit(f"//{name}")
        if parts.hostname and parts.netloc == name and not parts.username and (parts.port is None or parts.port > 0):
            return parts.hostname
    except ValueError:
        pass
    raise ConfigError(f"--name {name!r} is no name: write one such as longtake.example.org or box.lan:8443.")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_wildcard(host: str) -> bool:
    return host in ("0.0.0.0", "::")


def _is_loopback(host: str) -> bool:
    """Whether an address or name is reached from this machine alone."""
    return host.lower() == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)
