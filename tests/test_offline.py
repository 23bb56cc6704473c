"""--offline is a border of the process, not a promise of each library."""

from __future__ import annotations

import subprocess
import sys

import pytest

TRY = """
import socket, sys
from longtake.offline import forbid_network
from longtake.errors import LongtakeError
forbid_network()
try:
    {attempt}
except LongtakeError as error:
    sys.exit(str(error))
except OSError:
    pass
"""


@pytest.mark.parametrize(
    ("attempt", "refused"),
    [
        ("socket.create_connection(('192.0.2.1', 80), timeout=0.1)", "192.0.2.1"),
        ("socket.getaddrinfo('example.org', 443)", "example.org"),
        ("__import__('urllib.request').request.urlopen('http://example.org', timeout=0.1)", "example.org"),
        ("socket.create_connection(('127.0.0.1', 9), timeout=0.1)", ""),
        ("socket.create_connection(('localhost', 9), timeout=0.1)", ""),
    ],
)
def test_only_this_machine_is_reached(attempt: str, refused: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRY.format(attempt=attempt)], capture_output=True, text=True, check=False
    )
    assert done.returncode == bool(refused), done.stderr
    assert (f"--offline forbids the connection to {refused}" in done.stderr) == bool(refused)
