"""Network rules: which endpoint URLs are accepted, and `--offline`, which allows only this machine."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Iterable
from contextlib import suppress
from threading import Event
from typing import Any
from urllib.parse import urlsplit

from longtake.errors import ConfigError, LongtakeError

_forbidden = Event()


def forbid_network() -> None:
    """Block every connection and lookup beyond this machine for the rest of the process.

    Python calls audit hooks before every connection, including those that libraries make. Libraries in C that open
    sockets themselves ask `refuse_other_machines` first.
    """
    if not _forbidden.is_set():
        _forbidden.set()
        sys.addaudithook(_refuse)


def refuse_other_machines(what: str, hosts: Iterable[str]) -> None:
    """See that a library whose connections audit hooks can't see connects to this machine alone.

    Args:
        what: is connected to, for the error message.
        hosts: names or addresses that it may connect to.

    Raises:
        ConfigError: if the network is forbidden and one of the hosts isn't this machine.
    """
    for host in hosts:
        if _forbidden.is_set() and not is_this_machine(host):
            raise ConfigError(f"--offline forbids {what} on {host}: use one on this machine.")


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
    """Why an endpoint can't be used, and what to do; None if it can. Nothing is sent.

    Args:
        url: the endpoint's base URL.
        setting: the setting that holds it, such as `controller.base_url`.
        key_variable: the environment variable that the key belongs in.
        offline: whether only endpoints on this machine are allowed.
    """
    # URLs appear in errors and traces, so one that may contain a secret is refused without repeating it.
    if set(url) & set("@?#"):
        return (
            f"{setting} must not contain @, ? or # (passwords, queries, fragments): "
            f"put the key in the environment variable {key_variable}"
        )
    host = _host(url)
    if host is None:
        return f"{setting}={url!r} isn't a URL: use one such as http://127.0.0.1:8000"
    if offline and not is_this_machine(host):
        return f"--offline forbids the endpoint {url}: use one on this machine"
    return None


def _host(url: str) -> str | None:
    """The host of an HTTP URL; None if it isn't one."""
    with suppress(ValueError):  # malformed address or port
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.port != 0:
            return parts.hostname
    return None


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else ""  # a path: a Unix socket on this machine
    elif event == "socket.getaddrinfo":
        host = arguments[0] or ""
    else:
        return
    host = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    if not is_this_machine(host):
        raise LongtakeError(f"--offline forbids the connection to {host}; leave --offline out to allow it.")
