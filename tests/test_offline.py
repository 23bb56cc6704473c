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


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


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
    done = run(TRY.format(attempt=attempt))
    assert done.returncode == bool(refused), done.stderr
    assert (f"--offline forbids the connection to {refused}" in done.stderr) == bool(refused)


OPEN = """
import os, sys
from longtake.cluster.pool import Pool, Worker
from longtake.errors import LongtakeError
from longtake.memory.postgres import Postgres
from longtake.memory.search.chroma import Chroma
from longtake.offline import forbid_network
def database(url):
    Postgres(url).pool()
def ray(address):
    sys.modules['ray'] = None  # what isn't refused goes on to import it
    Pool(address, Worker, gpu=False)
forbid_network()
try:
    {attempt}
except LongtakeError as error:
    sys.exit(str(error))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attempt", "refused"),
    [
        ("database('postgresql://user:secret@192.0.2.9/memory')", "192.0.2.9"),
        ("database('postgresql:///memory?host=127.0.0.1,database.example')", "database.example"),
        ("database('postgresql://localhost/memory?hostaddr=192.0.2.9')", "192.0.2.9"),
        ("os.environ['PGHOST'] = '192.0.2.9'; database('postgresql:///memory')", "192.0.2.9"),
        ("database('postgresql:///memory?service=elsewhere')", "elsewhere"),
        ("database('postgresql://127.0.0.1:9/memory')", ""),
        ("database('postgresql://[::1]:9/memory')", ""),
        ("database('postgresql://%2Fnowhere/memory')", ""),
        ("Chroma('http://192.0.2.9:8000/name')", "192.0.2.9"),
        ("Chroma('http://127.0.0.1:9/name')", ""),
        ("ray('192.0.2.9:6379')", "192.0.2.9"),
        ("ray('ray://head.example:10001')", "head.example"),
        ("ray('auto')", "auto"),
        ("ray('127.0.0.1:6379')", ""),
        ("ray('ray://[::1]:10001')", ""),
        ("ray('')", ""),
    ],
)
def test_servers_elsewhere_are_refused_with_one_remedy(attempt: str, refused: str) -> None:
    done = run(OPEN.format(attempt=attempt))
    assert done.returncode == 1
    assert ("--offline forbids" in done.stderr) == bool(refused), done.stderr
    assert refused in done.stderr
    assert ("chroma run" in done.stderr) == (attempt.startswith("Chroma") and not refused)
    assert "secret" not in done.stderr
