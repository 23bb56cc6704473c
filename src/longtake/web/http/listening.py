"""The socket that a server listens at, and the address to give its clients."""

from __future__ import annotations

import errno
import socket

from longtake.errors import ConfigError


def listen(host: str, port: int, host_option: str = "--host", port_option: str = "--port") -> socket.socket:
    """A socket at an address, before anything is loaded.

    Args:
        host: name or address.
        port: 0 takes a free one.
        host_option: what names the host, for the sentence on what went wrong.
        port_option: what names the port.

    Raises:
        ConfigError: when the port is in use, or the address is none of this machine.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(f"Port {port} of {host} is in use: choose another with {port_option}.") from error
        reason = (error.strerror or str(error)).partition(" (while")[0]
        raise ConfigError(f"{host} cannot be listened at ({reason}): choose another with {host_option}.") from error


def url_of(host: str, listening: socket.socket) -> str:
    """What a client on this machine opens."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{listening.getsockname()[1]}/"
