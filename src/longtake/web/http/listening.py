"""Opens the socket a server listens on, and gives the URL for its clients."""

from __future__ import annotations

import errno
import socket

from longtake.errors import ConfigError


def listen(host: str, port: int, host_option: str = "--host", port_option: str = "--port") -> socket.socket:
    """Open a socket at an address, before anything is loaded.

    Args:
        host: name or address.
        port: 0 picks a free one.
        host_option: the option that sets the host, for error messages.
        port_option: the option that sets the port.

    Raises:
        ConfigError: if the port is in use, or this machine doesn't have the address.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(f"Port {port} of {host} is in use: choose another with {port_option}.") from error
        reason = (error.strerror or str(error)).partition(" (while")[0]
        raise ConfigError(f"Can't listen on {host} ({reason}): choose another address with {host_option}.") from error


def url_of(host: str, listening: socket.socket) -> str:
    """The URL for clients on this machine."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{listening.getsockname()[1]}/"
