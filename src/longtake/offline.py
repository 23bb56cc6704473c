"""`--offline`: no connection leaves this machine, whichever library asks for it."""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

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
