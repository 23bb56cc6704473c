"""HTTP that reaches the public Internet and one server that the owner named, and nothing else of his network.

A redirect could otherwise lead into it: to this machine, its neighbours, or the address at which clouds keep secrets.
"""

from __future__ import annotations

import ipaddress
import socket

import httpx

from longtake.errors import EngineError

_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: an IPv4 address in the last four bytes
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")  # RFC 4291: all of IPv6 that was ever given to the Internet


class PublicTransport(httpx.HTTPTransport):
    """Connects only to addresses that were looked at first, on every redirect anew."""

    def __init__(self, named: httpx.URL, *, offline: bool) -> None:
        """Take a server at any address.

        Args:
            named: URL of the one server that may stand anywhere.
            offline: whether nothing else is reached at all.
        """
        super().__init__(trust_env=False)
        self._named = _origin(named)
        self._offline = offline

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, to the very address that was checked: a second look-up might tell another one.

        Raises:
            EngineError: when the host has an address that is not public.
            httpx.TransportError: when it cannot be reached.
        """
        if _origin(request.url) == self._named:
            return super().handle_request(request)
        if self._offline:
            raise EngineError(f"--offline forbids the redirect to {request.url.host}; name that server itself.")
        host = request.url.host
        return super().handle_request(
            httpx.Request(
                request.method,
                request.url.copy_with(host=_checked_address(host, request)),
                headers=request.headers,  # with the name of the host
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": host},  # which the certificate is held against
            )
        )


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public Internet, whatever IPv4 address is wrapped into it."""
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


def _checked_address(host: str, request: httpx.Request) -> str:
    """The first of a host's addresses, all of which are public.

    Raises:
        EngineError: when one of them is not.
        httpx.ConnectError: when it has none.
    """
    addresses = _addresses(host, request)
    private = [address for address in addresses if not is_public(address)]
    if private:
        raise EngineError(f"A redirect to {host} was not followed: {private[0]} is not an address of the public web.")
    return addresses[0]


def _addresses(host: str, request: httpx.Request) -> list[str]:
    """What a host stands for; at least one.

    An address is taken as it is: a system without IPv6 would look one up and tell nothing. All else is left to the
    system, which reads `2130706433` and `0177.0.0.1` as addresses too: what it makes of a host is checked.
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
