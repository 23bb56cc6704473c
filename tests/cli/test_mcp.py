"""`longtake mcp --http` as a person meets it."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.servers.mcp_clients import used
from mcp import Client
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.errors import ConfigError


def command(library: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "longtake", "--library", str(library), "mcp", *arguments]


def refusal(library: Path, address: str) -> str:
    done = CliRunner().invoke(app, ["--library", str(library), "mcp", "--http", address])
    assert isinstance(done.exception, ConfigError)
    return str(done.exception)


@pytest.mark.nightly
def test_it_says_where_it_is(tmp_path: Path) -> None:
    async def listed(client: Client) -> int:
        return len((await client.list_tools()).tools)

    with subprocess.Popen(command(tmp_path, "--http", "[::1]:0"), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        try:
            [url] = re.findall(r"http://\[::1\]:\d+/mcp(?= )", said)
            assert used(url, listed) == 17
        finally:
            process.kill()


@pytest.mark.parametrize("address", ["0.0.0.0:0", "example.org:8766", "[::]:0"])
def test_an_address_that_others_reach_wants_a_token(tmp_path: Path, address: str) -> None:
    assert "set one with --token" in refusal(tmp_path, address)


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refusal(tmp_path, str(port)) == f"Port {port} of 127.0.0.1 is in use: choose another with --http."


@pytest.mark.parametrize("address", ["", "host", "127.0.0.1:", "65536", "1:-2", "²"])
def test_what_is_no_address_is_wrong_usage(tmp_path: Path, address: str) -> None:
    done = CliRunner().invoke(app, ["--library", str(tmp_path), "mcp", "--http", address])
    assert done.exit_code == 2
    assert "isn't [HOST:]PORT" in done.stderr
