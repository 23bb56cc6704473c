"""Keeps a server under load: clients that ask one question after the other, and files that are uploaded meanwhile.

A client that is told to wait does. Each minute, the server's memory, open files and threads are read from `/proc`, so
this needs Linux.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import httpx

from longtake.benchmarks.faults.ground import QUESTION, is_right
from longtake.benchmarks.hour.memory_use import tree
from longtake.benchmarks.hour.reel import Notify
from longtake.benchmarks.processes import longtake, run
from longtake.benchmarks.serving import client_of, follow, send, serving
from longtake.benchmarks.timing import Machine, load
from longtake.console import Session
from longtake.errors import EngineUnavailable
from longtake.memory.records import Record
from longtake.preprocess.demo.make import make_demo

_CHUNK = 256 * 1024  # bytes of an upload in one request
_BUSY = (429, 503)
_PATIENCE = 600.0  # seconds for one request


class Minute(Record):
    """What happened in a minute, or in what is left at the end: seconds are from the first try to the answer."""

    questions: int
    median: float
    p95: float
    resident: int  # bytes, of the server and its child processes
    files: int
    threads: int


class Load(Record):
    """The public shape of `bench load --json`."""

    machine: Machine
    clients: int
    minutes: tuple[Minute, ...]
    told_to_wait: int
    uploads: int
    wrong: tuple[str, ...]  # answers and uploads that weren't right, up to 20


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


def measure_load(session: Session, clients: int, uploads: int, minutes: float, notify: Notify) -> Load:
    """Ask about the demo video from `clients` clients for some minutes, and upload as many copies of it.

    Raises:
        EngineUnavailable: without `/proc`.
    """
    if not Path("/proc/self/status").exists():
        raise EngineUnavailable("`bench load` needs Linux, where /proc tells the memory of a process.")
    before = load()
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
            if late := counts.seconds[sum(minute.questions for minute in seen) :]:
                seen.append(_minute(process.pid, late))
            counts.wrong += [f"a client stopped: {error!r}" for each in work if (error := each.exception())]
    return Load(
        machine=Machine.since(before),
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
    told = 0
    while not counts.over:
        time.sleep(min(60.0, max(0.0, counts.end - time.monotonic())))
        mine = counts.seconds[told:]
        told += len(mine)
        minute = _minute(pid, mine)
        seen.append(minute)
        notify(_line(len(seen), minute))
    return seen


def _minute(pid: int, seconds: list[float]) -> Minute:
    """The minute in which these answers came, given the seconds that each took."""
    resident = files = threads = 0
    for process in tree(pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
            files += len(os.listdir(f"/proc/{process}/fd"))
            resident += int(status.get("VmRSS", "0").split()[0]) * 1024  # a process that has ended has none
            threads += int(status["Threads"])
    return Minute(
        questions=len(seconds),
        median=median(seconds) if seconds else 0.0,
        p95=quantiles(seconds, n=20)[-1] if len(seconds) > 1 else sum(seconds),
        resident=resident,
        files=files,
        threads=threads,
    )


def _line(number: int, minute: Minute) -> str:
    held = f"{minute.resident / 1e6:.0f} MB, {minute.files} files, {minute.threads} threads"
    return f"{number:>3}. {minute.questions:>5} answers, median {minute.median:.1f} s, p95 {minute.p95:.1f} s; {held}"


def show_load(found: Load) -> list[str]:
    """The measurement as lines of text."""
    return [
        f"{found.clients} clients; {found.machine}",
        *(_line(number, minute) for number, minute in enumerate(found.minutes, 1)),
        f"{sum(minute.questions for minute in found.minutes)} answers and {found.uploads} uploads in all; "
        f"told to wait {found.told_to_wait} times; wrong {len(found.wrong)}",
        *found.wrong,
    ]
