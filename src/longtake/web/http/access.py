"""Who may ask: the names the server answers to, requests of its own page, and a token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from longtake.errors import ConfigError
from longtake.web.http.refusals import Refusal, refused

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
LEAST_TOKEN, MAX_TOKEN_LENGTH = 16, 1_000  # characters; at the rate of `Limiter` nobody guesses sixteen
_WANTED = {"WWW-Authenticate": "Bearer"}
_OWN_SITE = ("", "none", "same-origin")  # of Sec-Fetch-Site: no browser, typed in by hand, or our page


@dataclass(frozen=True)
class Access:
    """By which names the server may be called, and what it wants of those who call.

    A page of another site can make its visitors' browsers call a server of theirs under a name of its own (DNS
    rebinding): so the names count, not the address that was reached. An address given in figures cannot be rebound.
    """

    names: frozenset[str] = LOOPBACK
    token: str | None = None  # none is wanted without one
    any_address: bool = False  # whether each is a name of it
    origins: frozenset[str] = frozenset()  # names, some with a port, at which a proxy shows its pages
    # What those have who gave the token, of which it tells nothing; the servers of a host share its cookies.
    cookie: str = field(default_factory=secrets.token_hex, repr=False)
    cookie_name: str = field(default_factory=lambda: f"longtake-{secrets.token_hex(4)}")

    @classmethod
    def at(cls, host: str, token: str | None, proxied: Sequence[str] = ()) -> Access:
        """Access to a server that listens at an address.

        Args:
            host: the address, or a name of it.
            token: what is wanted of everybody.
            proxied: names, some with a port, under which a proxy passes requests on.

        Raises:
            ConfigError: when there is no address, one that other machines reach has no token, the token is short or
                cannot stand in a header, or a name is none.
        """
        if not host:
            raise ConfigError("--host is empty: give an address, such as 127.0.0.1, or 0.0.0.0 for every one.")
        origins = frozenset(name.lower() for name in proxied)
        names = LOOPBACK | {_hostname(name) for name in origins} | {host.lower()}
        if token and not (token.isascii() and token.isprintable() and " " not in token):
            raise ConfigError(
                "The token of --token may hold letters without accents, figures and signs, and no spaces."
            )
        if token and len(token) < LEAST_TOKEN:
            raise ConfigError(
                f"The token of --token can be guessed: take at least {LEAST_TOKEN} characters, such as those that "
                "`openssl rand -hex 16` prints."
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

    def token_problem(self, given: str) -> Refusal | None:
        """Why nobody gets in with what is given for the token, if it is not the one."""
        if self.token is None or _same(given, self.token):
            return None
        return Refusal(401, "That is not the token of this server.", headers=_WANTED)

    def problem(self, headers: Headers) -> Refusal | None:
        """Why a request does not get in, if it does not: it brings neither cookie nor token, where there is a token."""
        # Cookies of other programs on this host come along, in any form: a strict parser would give up on all of them.
        given = cookie_parser(headers.get("cookie", "")).get(self.cookie_name, "")
        if self.token is None or _same(given, self.cookie):
            return None
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.token_problem(bearer.strip())
        return Refusal(401, "This server wants its token.", headers=_WANTED)


class Guard:
    """ASGI middleware that refuses foreign names, other sites' pages and those without the token."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with 401 or 403."""
        problem = self._problem(scope) if scope["type"] == "http" else None
        await (refused(problem, scope["path"]) if problem else self._app)(scope, receive, send)

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
        if public or path == "/api/session":
            return None
        return self._access.problem(headers)


class Token(BaseModel):
    """The token that `longtake serve` was given."""

    token: str = Field(max_length=MAX_TOKEN_LENGTH)


router = APIRouter(tags=["access"])


@router.post("/api/session", status_code=204)
async def open_session(given: Token, request: Request) -> Response:
    """Give the token for a cookie, which a browser sends along from then on."""
    access: Access = request.app.state.access
    if problem := access.token_problem(given.token):
        raise problem
    response = Response(status_code=204)
    behind_tls = request.headers.get("origin", "").startswith("https://")  # the server itself is always called by http
    response.set_cookie(access.cookie_name, access.cookie, httponly=True, samesite="strict", secure=behind_tls)
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
