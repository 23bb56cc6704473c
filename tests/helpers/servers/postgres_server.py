"""A PostgreSQL server on loopback, from Debian's package."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from longtake.errors import LongtakeError
from longtake.memory.postgres import Postgres

PASSWORD = "kettle-4417-secret"
_PROGRAMS = Path("/usr/lib/postgresql")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a running server, without a database."""
    found = sorted(_PROGRAMS.glob("*/bin/initdb"))
    if not found:
        pytest.skip(f"no PostgreSQL below {_PROGRAMS}: apt-get install postgresql")
    programs = found[-1].parent
    root = Path(tempfile.mkdtemp(prefix="longtake-postgres-"))
    # It refuses to run as root.
    user: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": ()} if os.getuid() == 0 else {}
    if user:
        shutil.chown(root, "postgres", "postgres")
    secret = root / "password"
    secret.write_text(PASSWORD, encoding="ascii")
    secret.chmod(0o644)
    data = root / "data"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": root, **user}
    make = [
        programs / "initdb",
        "-D",
        data,
        "-U",
        "longtake",
        "--auth=scram-sha-256",
        f"--pwfile={secret}",
        "--no-sync",
    ]
    subprocess.run(make, check=True, **quiet)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [programs / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", root, "-F"]
    server = subprocess.Popen(command, **quiet)
    try:
        ready = [programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
        while subprocess.run(ready).returncode:
            assert server.poll() is None, "the server didn't start"
            time.sleep(0.05)
        yield f"postgresql://longtake:{PASSWORD}@127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)
        shutil.rmtree(root)


@pytest.fixture
def postgres(postgres_server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of an empty database, which is gone afterwards, with the connections to it."""
    import psycopg

    name = f"test_{abs(hash(request.node.nodeid))}"
    with psycopg.connect(f"{postgres_server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        url = f"{postgres_server}/{name}"
        yield url
        with suppress(LongtakeError):
            Postgres(url).pool().close()  # it would try for minutes to connect again
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


NEEDS_SERVER = pytest.mark.skipif(not _PROGRAMS.is_dir(), reason=f"no PostgreSQL below {_PROGRAMS}")


@pytest.fixture(params=["file", pytest.param("server", marks=NEEDS_SERVER)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | Postgres:
    """Where a memory is: in an SQLite file, and in a server."""
    if request.param == "file":
        return tmp_path / "library" / "memory.sqlite"
    return Postgres(request.getfixturevalue("postgres"))
