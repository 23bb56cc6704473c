"""An HTTP transport that reaches only the public Internet and one server from the settings, not the private network.

Otherwise a redirect could lead to this machine, its neighbours, or a cloud's metadata address.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import httpx

from longtake.errors import EngineError

_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: an IPv4 address in the last four bytes
_PUBLIC_ONLY: ContextVar[bool] = ContextVar("_PUBLIC_ONLY", default=False)
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")  # RFC 4291: the only IPv6 range assigned to the Internet


class PublicTransport(httpx.HTTPTransport):
    """Connects only to addresses that it has checked, including after every redirect."""

    def __init__(self, named: httpx.URL, *, offline: bool) -> None:
        """Allow one server at any address.

        Args:
            named: URL of the one server that may be anywhere.
            offline: whether to allow no other server at all.
        """
        super().__init__(trust_env=False)
        self._named = _origin(named)
        self._offline = offline

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request to exactly the address that was checked: a second lookup might return another one.

        Raises:
            EngineError: if the host has an address that isn't public.
            httpx.TransportError: if it can't be reached.
        """
        if _origin(request.url) == self._named:
            return super().handle_request(request)
        if self._offline:
            raise EngineError(f"--offline forbids the redirect to {request.url.host}; set that server's own URL.")
        host = request.url.host
        return super().handle_request(
            httpx.Request(
                request.method,
                request.url.copy_with(host=_checked_address(host, request)),
                headers=request.headers,  # with the host's name
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": host},  # checked against the certificate
            )
        )


def is_public(address: str) -> bool:
    """Whether an IP address, including any embedded IPv4 address, is on the public Internet."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo or (None, None))[1]
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _GLOBAL_UNICAST:
            return False
    return ip.is_global and not ip.is_multicast


@contextmanager
def public_connections() -> Iterator[None]:
    """Within the block, this thread connects to public addresses only, whatever library does it.

    The address of the connection itself counts, so neither a redirect nor a changed name leads anywhere else. Other
    threads and processes aren't affected.

    Raises:
        PermissionError: at a connection to another address, which libraries treat like one that can't be made.
    """
    _watch_connections()
    token = _PUBLIC_ONLY.set(True)
    try:
        yield
    finally:
        _PUBLIC_ONLY.reset(token)


@cache
def _watch_connections() -> None:
    sys.addaudithook(_refuse_private)


def _refuse_private(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "socket.connect" or not _PUBLIC_ONLY.get():
        return
    address = arguments[1]
    host = str(address[0]) if isinstance(address, tuple) else ""
    if not (_is_address(host) and is_public(host)):
        raise PermissionError(f"{host or 'a local socket'} isn't a public address")


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _checked_address(host: str, request: httpx.Request) -> str:
    """The first of a host's addresses, after checking that all are public.

    Raises:
        EngineError: if one of them isn't.
        httpx.ConnectError: if it has none.
    """
    addresses = _addresses(host, request)
    private = [address for address in addresses if not is_public(address)]
    if private:
        raise EngineError(f"Didn't follow a redirect to {host}: {private[0]} isn't a public address.")
    return addresses[0]


def _addresses(host: str, request: httpx.Request) -> list[str]:
    """The addresses of a host, at least one.

    An IP address is used as it is, because a system without IPv6 would fail to look one up. Everything else is resolved
    by the system, which also accepts `2130706433` and `0177.0.0.1`, so its result is what gets checked.
    """
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, request.url.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError(f"no address is known for {host}", request=request) from error
    if not found:
        raise httpx.ConnectError(f"no address is known for {host}", request=request)
    return [str(entry[4][0]) for entry in found]


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
