"""Starts the processes that are measured: this Python, and `longtake` in it with the options of a session."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from longtake.console import EXIT_PARTIAL, Session
from longtake.errors import EngineError

MAX_SECONDS = 120.0  # for one process that has nothing long to do


def longtake(session: Session, library: Path, *arguments: str) -> list[str]:
    """The command line of `longtake` with the session's options and another library."""
    overrides = [part for override in session.overrides for part in ("--set", override)]
    offline = ["--offline"] if session.offline else []
    profile = ["--config", session.profile] if session.profile else []
    options = [*profile, *overrides, *offline, "--library", str(library)]
    return python("-m", "longtake", *options, *arguments)


def python(*arguments: str) -> list[str]:
    """The command line of this Python."""
    return [sys.executable, *arguments]


def run(command: Sequence[str], seconds: float | None = MAX_SECONDS) -> str:
    """Run a command for at most `seconds`; returns what it wrote to standard output.

    Raises:
        EngineError: if it fails or takes longer. Partly done work counts as done.
    """
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise EngineError(
            f"`{shlex.join(command)}` took longer than {seconds:g} s; run it by hand to see why."
        ) from error
    check(command, done.returncode, done.stderr)
    return done.stdout


def check(command: Sequence[str], code: int, stderr: str) -> None:
    """Raise `EngineError` with the last line of a process's standard error if its exit code means failure."""
    if code not in (0, EXIT_PARTIAL):
        last = (stderr.strip().splitlines() or ["it printed no error"])[-1]
        raise EngineError(f"`{shlex.join(command)}` failed: {last}")


def tree(pid: int) -> list[Any]:
    """A process and all its descendants, as `psutil.Process`."""
    import psutil

    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


@contextmanager
def serving(session: Session, library: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `longtake serve` with these options in a session of its own; gives the process and its address.

    Raises:
        EngineError: if the server doesn't start.
    """
    command = longtake(session, library, "serve", "--port", "0", *options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            url = next((word for word in line.split() if word.startswith("http://")), None)
            if url is None:
                raise EngineError(f"`{shlex.join(command)}` doesn't start: run it by hand to see why.")
            yield process, url
        finally:
            process.terminate()


def client_of(url: str, seconds: float = MAX_SECONDS) -> httpx.Client:
    """A client of a server; a request may take so many seconds.

    It reuses no connection that was idle for a second: the server closes one after five, maybe as a request is sent.
    """
    limits = httpx.Limits(keepalive_expiry=1.0)
    return httpx.Client(base_url=url, timeout=seconds, trust_env=False, limits=limits)


def send(client: httpx.Client, upload: str, data: bytes, offset: int, chunk: int) -> Iterator[int]:
    """Send the bytes of an upload from an offset on, in chunks; gives what the server says it has after each."""
    while offset < len(data):
        headers = {"Upload-Offset": str(offset)}
        sent = client.patch(f"/api/uploads/{upload}", content=data[offset : offset + chunk], headers=headers)
        sent.raise_for_status()
        offset = sent.json()["offset"]
        yield offset


def follow(client: httpx.Client, events: str) -> Any:
    """The data of the last of a stream of events."""
    data = ""
    with client.stream("GET", events) as stream:
        for line in stream.iter_lines():
            data = line.removeprefix("data:") if line.startswith("data:") else data
    return json.loads(data)
