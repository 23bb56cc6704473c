"""Starts `longtake serve` for a measurement, and talks to it as a client does."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from longtake.benchmarks.processes import MAX_SECONDS, longtake
from longtake.console import Session
from longtake.errors import EngineError


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
                raise EngineError(f"`{' '.join(command)}` doesn't start: run it by hand to see why.")
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
