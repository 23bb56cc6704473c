"""Access control: the host names the server answers to, same-origin requests, and the token."""

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

_OTHER_SITE = "Pages of other sites can't use this server."
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
MIN_TOKEN_LENGTH, MAX_TOKEN_LENGTH = 16, 1_000  # characters; at the rate of `Limiter` nobody guesses sixteen
_CHALLENGE = {"WWW-Authenticate": "Bearer"}
_OWN_SITE = ("", "none", "same-origin")  # of Sec-Fetch-Site: no browser, typed address, or our page


@dataclass(frozen=True)
class Access:
    """The host names under which the server can be called, and the token it requires.

    A page of another site can point its own name at a visitor's server and call it from the browser (DNS rebinding), so
    the name in the request counts, not the address it reached. A numeric address can't be rebound.
    """

    names: frozenset[str] = LOOPBACK
    token: str | None = None  # None requires none
    any_address: bool = False  # whether it answers to any numeric address
    alone: bool = True  # whether only this machine can call it
    origins: frozenset[str] = frozenset()  # names, some with a port, under which a proxy serves its pages
    # Set for clients that gave the token, without revealing it; named uniquely, since servers on a host share cookies.
    cookie: str = field(default_factory=secrets.token_hex, repr=False)
    cookie_name: str = field(default_factory=lambda: f"longtake-{secrets.token_hex(4)}")

    @classmethod
    def at(cls, host: str, token: str | None, proxied: Sequence[str] = ()) -> Access:
        """Access to a server that listens on an address.

        Args:
            host: the address or its name.
            token: required of every client.
            proxied: names, some with a port, under which a proxy forwards requests.

        Raises:
            ConfigError: if the address is empty, one that other machines reach has no token, the token is too short
                or can't be sent in a header, or a name is invalid.
        """
        if not host:
            raise ConfigError("--host is empty: give an address such as 127.0.0.1, or 0.0.0.0 for all.")
        origins = frozenset(name.lower() for name in proxied)
        names = LOOPBACK | {_hostname(name) for name in origins} | {host.lower()}
        if token and not (token.isascii() and token.isprintable() and " " not in token):
            raise ConfigError("--token may contain only ASCII letters, digits and punctuation, and no spaces.")
        if token and len(token) < MIN_TOKEN_LENGTH:
            raise ConfigError(
                f"--token is too easy to guess: use at least {MIN_TOKEN_LENGTH} characters, such as the output of "
                "`openssl rand -hex 16`."
            )
        local = _is_loopback(host)
        if not token and (origins or not local):
            remedy = "leave out --name" if proxied else "listen on 127.0.0.1"
            raise ConfigError(
                f"Other machines can reach {proxied[0] if proxied else host}, and without a token anyone there could "
                f"use the library: set one with --token, or {remedy}."
            )
        if local:
            return cls(names, token or None, alone=not origins, origins=origins)
        name = socket.gethostname().lower()
        names |= {name, f"{name}.local"}
        return cls(names, token, any_address=host in ("0.0.0.0", "::"), alone=False, origins=origins)

    def knows_host(self, header: str) -> bool:
        """Whether a Host header names this server."""
        try:
            name = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        return name in self.names or (self.any_address and _is_address(name))

    def knows_origin(self, origin: str, host: str) -> bool:
        """Whether an Origin header is that of our own page, at the requested Host or a proxy.

        The scheme is ignored: behind a proxy, the server can't know which one is right.
        """
        return origin.partition("://")[2] in {host, *self.origins}

    def token_problem(self, token: str) -> Refusal | None:
        """The refusal of a wrong token; None if it is right."""
        if self.token is None or _same(token, self.token):
            return None
        return Refusal(401, "The access token is wrong.", headers=_CHALLENGE)

    def problem(self, headers: Headers) -> Refusal | None:
        """The refusal of a request that brings neither cookie nor token; None if it gets in."""
        # Cookies of other programs on this host come too, in any form: a strict parser would reject them all.
        cookie = cookie_parser(headers.get("cookie", "")).get(self.cookie_name, "")
        if self.token is None or _same(cookie, self.cookie):
            return None
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.token_problem(bearer.strip())
        return Refusal(401, "This server requires an access token.", headers=_CHALLENGE)


class Guard:
    """ASGI middleware that refuses unknown host names, other sites' pages and clients without the token."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 401 or 403."""
        problem = self._problem(scope) if scope["type"] == "http" else None
        await (refused(problem, scope["path"]) if problem else self._app)(scope, receive, send)

    def _problem(self, scope: Scope) -> Refusal | None:
        headers, path = Headers(scope=scope), scope["path"]
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._access.knows_host(host):
            return Refusal(403, "Unknown host name: use the address that the server printed when it started.")
        if origin is not None and not self._access.knows_origin(origin, host):
            return Refusal(403, _OTHER_SITE)
        public = path == "/" or path.startswith("/page/")
        if not public and headers.get("sec-fetch-site", "") not in _OWN_SITE:
            return Refusal(403, _OTHER_SITE)
        if public or path == "/api/session":
            return None
        return self._access.problem(headers)


class AccessToken(BaseModel):
    """The token of `longtake serve --token`."""

    token: str = Field(max_length=MAX_TOKEN_LENGTH)


router = APIRouter(tags=["access"])


@router.post("/api/session", status_code=204)
async def open_session(body: AccessToken, request: Request) -> Response:
    """Exchange the token for a cookie."""
    access: Access = request.app.state.access
    if problem := access.token_problem(body.token):
        raise problem
    response = Response(status_code=204)
    behind_tls = request.headers.get("origin", "").startswith("https://")  # the server itself only speaks http
    response.set_cookie(access.cookie_name, access.cookie, httponly=True, samesite="strict", secure=behind_tls)
    return response


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _hostname(name: str) -> str:
    """The host in a name that may have a port."""
    try:
        parts = urlsplit(f"//{name}")
        if parts.hostname and parts.netloc == name and not parts.username and (parts.port is None or parts.port > 0):
            return parts.hostname
    except ValueError:
        pass
    raise ConfigError(f"--name {name!r} isn't a host name: write it like longtake.example.org or box.lan:8443.")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address or name."""
    return host.lower() == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)
