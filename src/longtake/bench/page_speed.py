"""Times the page from opening to the first answer about the demo video, in a fresh browser profile; and its weight.

The baseline is the same question put to the same server without a browser; the difference is the page's own time.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from longtake.bench.browser import ask, browser, new_page, served
from longtake.bench.hour.reel import Notify
from longtake.bench.intervals import Spread
from longtake.bench.processes import MAX_SECONDS
from longtake.bench.timing import Comparison, Machine, load
from longtake.console import Session
from longtake.errors import EngineError
from longtake.memory.records import Record
from longtake.preprocess.demo.demo_truth import load_truth
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.pipeline.workspace import Workspace


class Weight(NamedTuple):
    """What the browser loads to show the library: files and bytes of their bodies, without pictures of videos."""

    files: int
    bytes: int


class PageSpeed(Record):
    """The public shape of `bench page --json`; times are seconds."""

    machine: Machine
    shown: Spread
    first_answer: Comparison
    files: int
    bytes: int


def measure_page(session: Session, notify: Notify, rounds: int) -> PageSpeed:
    """Index the demo video in a temporary folder, serve it, and open the page and ask, each time in a fresh profile.

    Raises:
        EngineUnavailable: without Playwright or a browser.
        EngineError: if the server doesn't start or no answer comes.
    """
    before = load()
    question = load_truth().questions[0].question
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder, browser() as chromium:
        notify("making and indexing the demo video")
        library = Path(folder) / "library"
        video = Workspace(library, session.settings).add(make_demo(Path(folder) / "demo")).video.id
        with served(session, library) as url:
            asked = partial(_ask, url, video, question)
            asked()  # what a server loads once, for its first question, isn't the page's time
            notify("opening the page")
            weight, shown = _weight(chromium, url), []
            opened = Comparison.measure(lambda: shown.append(_open_and_ask(chromium, url, question)), asked, rounds)
    return PageSpeed(
        machine=Machine.since(before),
        shown=Spread.of(shown),
        first_answer=opened,
        files=weight.files,
        bytes=weight.bytes,
    )


def show_page(report: PageSpeed) -> list[str]:
    """The report as lines to print."""
    return [
        str(report.machine),
        "seconds as median [min, max] n=runs",
        f"library shown       {report.shown}",
        f"first answer shown  {report.first_answer.against('the same without a browser')}",
        f"page                {report.bytes:,} bytes in {report.files} files",
    ]


def _ask(url: str, video: str, question: str) -> None:
    """Ask the question in a new thread, and read its events to the last."""
    with httpx.Client(base_url=url, timeout=MAX_SECONDS) as client:
        thread = client.post("/api/threads", json={"videos": [video]}).json()["id"]
        run = client.post(f"/api/threads/{thread}/questions", json={"question": question}).json()["run"]
        if "event: answer\n" not in client.get(f"/api/runs/{run}/events").text:
            raise EngineError(f"No answer came to the question {question!r}.")


def _open_and_ask(chromium: Any, url: str, question: str) -> float:
    """Open the library, choose its video, ask and see the answer; the seconds until the library was shown."""
    with new_page(chromium) as page:
        page.goto(url, wait_until="commit")
        page.get_by_role("link", name="Ask").first.wait_for()
        shown = page.evaluate("performance.now()") / 1000
        ask(page, question)
    return float(shown)


def _weight(chromium: Any, url: str) -> Weight:
    with new_page(chromium) as page:
        page.goto(url, wait_until="networkidle")
        loaded = page.evaluate(
            "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
            ".filter(({ name }) => !name.includes('/api/')).map(({ name, decodedBodySize }) => [name, decodedBodySize])"
        )
    sizes = dict(loaded)  # what the page names twice is loaded once
    return Weight(len(sizes), sum(sizes.values()))
