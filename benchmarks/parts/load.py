"""Keeps a server under load: clients that ask one question after the other, and files that are uploaded meanwhile.

A client that is told to wait does.
"""

from __future__ import annotations

import json
import struct
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Annotated

import httpx
import numpy as np
import typer

from longtake.benchmarks.faults.ground import QUESTION, is_right
from longtake.benchmarks.processes import client_of, follow, longtake, run, send, serving, tree
from longtake.benchmarks.reports import Notify, Report
from longtake.console import Session
from longtake.memory.records import Record
from longtake.preprocess.demo.make import make_demo

_CHUNK = 256 * 1024  # bytes of an upload in one request
_BUSY = (429, 503)
_PATIENCE = 600.0  # seconds for one request


class Minute(Record):
    """What happened in a minute, or in what is left at the end.

    Seconds are from the first try to the answer; the rest is of the server and its child processes.
    """

    answers: int
    median: float
    p95: float
    megabytes: int
    files: int
    threads: int


class Load(Report):
    """`wrong` has answers and uploads that weren't right, up to 20."""

    clients: int
    minutes: tuple[Minute, ...]
    told_to_wait: int
    uploads: int
    wrong: tuple[str, ...]


@dataclass
class _Counts:
    """What all clients have met so far."""

    end: float
    seconds: list[float] = field(default_factory=list)
    waited: int = 0
    uploaded: int = 0
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.end

    def patiently(self, request: Callable[[], httpx.Response]) -> httpx.Response:
        """The reply to a request that is tried again as long as the server is busy."""
        while (reply := request()).status_code in _BUSY and not self.over:
            with self.lock:
                self.waited += 1
            time.sleep(min(float(reply.headers.get("Retry-After", 1)), max(0.0, self.end - time.monotonic())))
        return reply


def measure_load(
    session: Session,
    notify: Notify,
    clients: Annotated[int, typer.Option(min=1, help="Clients that ask, each one question after the other.")] = 200,
    uploads: Annotated[int, typer.Option(min=0, help="Copies of the demo video that are uploaded.")] = 20,
    minutes: Annotated[float, typer.Option(min=0.1, help="How long.")] = 10,
) -> Load:
    """Keep a server under load: seconds to the answer, memory, open files and threads by the minute."""
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        video, library = make_demo(Path(folder) / "demo"), Path(folder) / "library"
        notify("indexing the demo video")
        run(longtake(session, library, "index", str(video)), None)
        with serving(session, library) as (process, url):
            counts = _Counts(end=time.monotonic() + 60 * minutes)
            with ThreadPoolExecutor(clients + max(1, uploads)) as pool:
                work = [pool.submit(_asking, url, counts) for _ in range(clients)]
                work += [pool.submit(_uploading, url, video.read_bytes(), n, counts) for n in range(uploads)]
                seen = _watch(process.pid, counts, notify)
                wait(work)
            if late := counts.seconds[sum(minute.answers for minute in seen) :]:
                seen.append(_minute(process.pid, late))
            counts.wrong += [f"a client stopped: {error!r}" for each in work if (error := each.exception())]
    return Load(
        clients=clients,
        minutes=tuple(seen),
        told_to_wait=counts.waited,
        uploads=counts.uploaded,
        wrong=tuple(counts.wrong[:20]),
    )


def _asking(url: str, counts: _Counts) -> None:
    with client_of(url, _PATIENCE) as client:
        [video] = [each["id"] for each in client.get("/api/videos").json()["videos"] if each["name"] == "demo.mp4"]
        begun = counts.patiently(lambda: client.post("/api/threads", json={"videos": [video]}))
        if begun.status_code in _BUSY:
            return
        thread = begun.json()["id"]
        questions = f"/api/threads/{thread}/questions"
        while not counts.over:
            started = time.monotonic()
            asked = counts.patiently(lambda: client.post(questions, json={"question": QUESTION}))
            if asked.status_code in _BUSY:
                return
            ended = follow(client, f"/api/runs/{asked.raise_for_status().json()['run']}/events")
            with counts.lock:
                counts.seconds.append(time.monotonic() - started)
                if not is_right(ended.get("answer", {}).get("answer", "")):
                    counts.wrong.append(json.dumps(ended))


def _uploading(url: str, data: bytes, number: int, counts: _Counts) -> None:
    """Upload the video as a file of its own: with a box at its end that players skip."""
    mine = data + struct.pack(">I4sI", 12, b"free", number)
    with client_of(url, _PATIENCE) as client:
        name = {"name": f"copy-{number}.mp4", "size": len(mine)}
        begun = counts.patiently(lambda: client.post("/api/uploads", json=name))
        if begun.status_code in _BUSY:
            return
        upload = begun.json()["id"]
        for _ in send(client, upload, mine, 0, _CHUNK):
            pass
        state = client.get(f"/api/uploads/{upload}").json()
        kept = client.get(f"/api/videos/{state['video']}/file").content if state["video"] else b""
        with counts.lock:
            counts.uploaded += kept == mine
            if kept != mine:
                counts.wrong.append(f"copy-{number}.mp4 isn't kept as it was sent")


def _watch(pid: int, counts: _Counts, notify: Notify) -> list[Minute]:
    """Wait until the time is over; gives each minute."""
    seen: list[Minute] = []
    while not counts.over:
        time.sleep(min(60.0, max(0.0, counts.end - time.monotonic())))
        seen.append(_minute(pid, counts.seconds[sum(minute.answers for minute in seen) :]))
        notify(f"minute {len(seen)}: {seen[-1]!r}")
    return seen


def _minute(pid: int, seconds: list[float]) -> Minute:
    """The minute in which these answers came, given the seconds that each took."""
    import psutil

    resident = files = threads = 0
    for process in tree(pid):
        with suppress(psutil.Error):  # it ended meanwhile
            files += process.num_fds()
            resident += process.memory_info().rss
            threads += process.num_threads()
    return Minute(
        answers=len(seconds),
        median=median(seconds) if seconds else 0.0,
        p95=float(np.percentile(seconds, 95)) if seconds else 0.0,
        megabytes=round(resident / 1e6),
        files=files,
        threads=threads,
    )
