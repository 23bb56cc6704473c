"""What code in a sandbox must not get at: a file, an environment variable, sockets that listen, the process itself."""

from __future__ import annotations

import os
import secrets
import selectors
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VARIABLE = "LONGTAKE_TEST_SECRET"


@dataclass
class Host:
    """The secret, where it lies, and who called."""

    folder: Path
    port: int
    unix: str
    secret: str = field(default_factory=lambda: secrets.token_hex(16))
    calls: list[str] = field(default_factory=list)

    @property
    def file(self) -> Path:
        return self.folder / "secret.txt"

    @property
    def inputs(self) -> dict[str, Any]:
        """All that a snippet needs to know to get at it, but not the secret itself."""
        return {
            "file": str(self.file),
            "folder": str(self.folder),
            "variable": VARIABLE,
            "port": self.port,
            "socket": self.unix,
            "pid": os.getpid(),
        }


@contextmanager
def host_with_secrets(folder: Path) -> Iterator[Host]:
    """Write the file, set the variable, listen, and note signals, until the block ends. For the main thread."""
    tcp, udp, port = _same_port()
    unix = socket.socket(socket.AF_UNIX)
    host = Host(folder, port, f"longtake-{os.getpid()}")
    unix.bind("\0" + host.unix)
    host.file.write_text(host.secret)
    os.environ[VARIABLE] = host.secret
    before = signal.signal(signal.SIGUSR1, lambda number, frame: host.calls.append("signal"))
    over = threading.Event()
    listening = threading.Thread(target=_listen, args=(host, (tcp, unix), udp, over))
    listening.start()
    try:
        yield host
    finally:
        over.set()
        listening.join()
        signal.signal(signal.SIGUSR1, before)
        del os.environ[VARIABLE]
        for heard in (tcp, udp, unix):
            heard.close()


def _same_port() -> tuple[socket.socket, socket.socket, int]:
    """A TCP and a UDP socket on one port of loopback."""
    while True:
        tcp, udp = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        tcp.bind(("127.0.0.1", 0))
        port = tcp.getsockname()[1]
        try:
            udp.bind(("127.0.0.1", port))
        except OSError:
            tcp.close()
            udp.close()
            continue
        return tcp, udp, port


def _listen(host: Host, streams: tuple[socket.socket, ...], datagrams: socket.socket, over: threading.Event) -> None:
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            stream.listen()
        for heard in (*streams, datagrams):
            selector.register(heard, selectors.EVENT_READ)
        while not over.is_set():
            for key, _ in selector.select(0.05):
                heard = key.fileobj
                assert isinstance(heard, socket.socket)
                host.calls.append(f"{heard.family.name} {heard.type.name}")
                if heard is datagrams:
                    heard.recv(100)
                else:
                    heard.accept()[0].close()
