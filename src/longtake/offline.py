"""What may be connected to: which URLs of endpoints are taken, and with `--offline` nothing but this machine."""

from __future__ import annotations

import ipaddress
import sys
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from longtake.errors import LongtakeError


def forbid_network() -> None:
    """Refuse, for the rest of this process, to connect to or look up anything but this machine.

    Python tells audit hooks of every connection before it is made, also of those that libraries make.
    """
    sys.addaudithook(_refuse)


def is_this_machine(host: str) -> bool:
    """Whether a host name or address is loopback."""
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_loopback(url: str) -> bool:
    """Whether a URL's host is this machine."""
    host = _host(url)
    return host is not None and is_this_machine(host)


def refused_endpoint(url: str, setting: str, key_variable: str, *, offline: bool) -> str | None:
    """Why an endpoint may not be asked, with what to do; None when it may. Nothing is sent.

    Args:
        url: the endpoint's base URL.
        setting: the setting that holds it, such as `controller.base_url`.
        key_variable: the environment variable that a key belongs into.
        offline: whether only endpoints on this machine may be asked.
    """
    # The URL is named in errors and traces: what may hold a secret is refused first, without naming it.
    if set(url) & set("@?#"):
        return (
            f"{setting} must not hold @, ? or #, as passwords, queries and fragments do: "
            f"put the key into the variable {key_variable}"
        )
    host = _host(url)
    if host is None:
        return f"{setting}={url!r} is not a URL: write one such as http://127.0.0.1:8000"
    if offline and not is_this_machine(host):
        return f"--offline forbids the endpoint {url}: use one on this machine"
    return None


def _host(url: str) -> str | None:
    """The host of an HTTP URL; None when it is no such URL."""
    with suppress(ValueError):  # an address or a port that is none
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.port != 0:
            return parts.hostname
    return None


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else ""  # a path: a socket of this machine
    elif event == "socket.getaddrinfo":
        host = arguments[0] or ""
    else:
        return
    host = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    if not is_this_machine(host):
        raise LongtakeError(f"--offline forbids the connection to {host}; leave --offline out to allow it.")
