"""`longtake serve` as a person meets it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from helpers.command import longtake
from helpers.read_only import needs_jail, run_read_only

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")


@contextmanager
def serving(library: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The running command and the address that it says."""
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "longtake", "--library", str(library), "serve", *arguments]
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=buffered) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert re.sub(r"//.*/", "//127.0.0.1:8765/", said) in PAGE
        try:
            yield process, re.findall(r"http://\S+", said)[0]
        finally:
            process.kill()


def refused(library: Path, *arguments: str) -> str:
    done = longtake("serve", *arguments, library=library)
    assert (done.code, done.stdout) == (1, "")
    return done.stderr


@pytest.mark.nightly
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_it_says_where_it_is_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0") as (process, url):
        assert httpx.get(f"{url}api/videos").json() == {"videos": []}
        with httpx.stream("GET", f"{url}api/videos"):
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert error.startswith("longtake: stopped")


@pytest.mark.nightly
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_ctrl_c_ends_it_in_the_middle_of_indexing(tmp_path: Path, long_tone: Path) -> None:
    folder = str(long_tone.parent)
    with serving(tmp_path, "--port", "0", "--folder", folder) as (process, url):
        added = httpx.post(f"{url}api/videos", json={"path": str(long_tone)}).json()
        with httpx.stream("GET", f"{url}api/videos/{added['id']}/progress") as events:
            lines = events.iter_lines()
            next(line for line in lines if '"state":"indexing"' in line)
            process.send_signal(signal.SIGINT)
            assert '"state":"failed"' in [line for line in lines if line][-1]
        _, error = process.communicate(timeout=30)
    assert (process.returncode, "Traceback" in error) == (130, False)


def test_an_address_that_others_reach_wants_a_token(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "example.org"):
        said = refused(tmp_path, "--host", host)
        assert "set one with --token" in said
        assert said.replace(host, "0.0.0.0") in PAGE


@pytest.mark.nightly
def test_with_a_token_any_address_is_served(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", "--port", "0", "--token", "open-sesame-42-times") as (_, url):
        assert url.startswith("http://127.0.0.1:")
        assert httpx.get(f"{url}api/videos").status_code == 401
        assert (
            httpx.get(f"{url}api/videos", headers={"Authorization": "Bearer open-sesame-42-times"}).status_code == 200
        )


def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused(tmp_path, "--port", str(port)) == (
            f"longtake: Port {port} of 127.0.0.1 is in use: choose another with --port.\n"
        )


@pytest.mark.nightly
@needs_jail
@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("mcp", "--http", "0")])
def test_a_library_that_cannot_be_written_is_one_sentence(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run_read_only(tmp_path, *command)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert re.match(f"longtake: {tmp_path}.*Read-only", done.stderr)


def test_an_address_of_another_machine_is_one_sentence(tmp_path: Path) -> None:
    assert "203.0.113.7" in refused(tmp_path, "--host", "203.0.113.7", "--token", "x" * 16)
