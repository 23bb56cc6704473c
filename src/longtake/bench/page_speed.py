"""From opening the page to the first answer about the demo video, in a browser that has never seen it; and its weight.

Beside it, in the same turn, stands the same question put to the same server without a browser: the rest is the page's.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from longtake.bench.hour.reel import Notify
from longtake.bench.intervals import Spread
from longtake.bench.processes import MAX_SECONDS, longtake
from longtake.bench.timing import Beside, Machine, load
from longtake.console import Session
from longtake.errors import EngineError, EngineUnavailable
from longtake.memory.records import Record
from longtake.preprocess.demo.demo_truth import load_truth
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.pipeline.workspace import Workspace

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_MILLISECONDS = 1000 * MAX_SECONDS  # for one thing to appear


class Weight(NamedTuple):
    """What the browser loads to show the library: files and bytes of their bodies, pictures of videos left out."""

    files: int
    bytes: int


class PageSpeed(Record):
    """The public shape of `bench page --json`; times are seconds."""

    machine: Machine
    shown: Spread
    first_answer: Beside
    files: int
    bytes: int


def measure_page(session: Session, notify: Notify, rounds: int) -> PageSpeed:
    """Index the demo video in a folder of its own, serve it, and open the page and ask, each time in a fresh profile.

    Raises:
        EngineUnavailable: without Playwright or a browser.
        EngineError: when the server does not start or an answer does not come.
    """
    before = load()
    question = load_truth().questions[0].question
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder, _browser() as browser:
        notify("making and indexing the demo video")
        library = Path(folder) / "library"
        video = Workspace(library, session.settings).add(make_demo(Path(folder) / "demo")).video.id
        with _served(session, library) as url:
            asked = partial(_ask, url, video, question)
            asked()  # what is loaded once, for the first question of a server, is no part of the page
            notify("opening the page")
            weight, shown = _weight(browser, url), []
            opened = Beside.measure(lambda: shown.append(_open_and_ask(browser, url, question)), asked, rounds)
    return PageSpeed(
        machine=Machine.since(before),
        shown=Spread.of(shown),
        first_answer=opened,
        files=weight.files,
        bytes=weight.bytes,
    )


def show_page(report: PageSpeed) -> list[str]:
    """The report for a person."""
    return [
        str(report.machine),
        "seconds as median [least, most] n=runs",
        f"library shown       {report.shown}",
        f"first answer shown  {report.first_answer.against('the same without a browser')}",
        f"page                {report.bytes:,} bytes in {report.files} files",
    ]


@contextmanager
def _browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise EngineUnavailable("A browser is driven by Playwright: pip install playwright.") from error
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        raise EngineUnavailable(f"There is no browser to open the page in: install one of {', '.join(_BROWSERS)}.")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def _served(session: Session, library: Path) -> Iterator[str]:
    """The address of a server of its own process."""
    command = longtake(session, library, "serve", "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            said = server.stdout.readline() if server.stdout else ""
            url = next((word for word in said.split() if word.startswith("http://")), None)
            if url is None:
                raise EngineError(f"`{' '.join(command)}` does not start: run it by hand.")
            yield url
        finally:
            server.terminate()


def _ask(url: str, video: str, question: str) -> None:
    """The question in a new thread, and its events to the last."""
    with httpx.Client(base_url=url, timeout=MAX_SECONDS) as client:
        thread = client.post("/api/threads", json={"videos": [video]}).json()["id"]
        run = client.post(f"/api/threads/{thread}/questions", json={"question": question}).json()["run"]
        if "event: answer\n" not in client.get(f"/api/runs/{run}/events").text:
            raise EngineError(f"The question {question!r} got no answer.")


def _open_and_ask(browser: Any, url: str, question: str) -> float:
    """Open the library, choose its video, ask and see the answer; the seconds until the library was shown."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(_MILLISECONDS)
    page.goto(url, wait_until="commit")
    page.get_by_role("link", name="Ask").first.wait_for()
    shown = page.evaluate("performance.now()") / 1000
    page.get_by_role("link", name="Ask").first.click()
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.locator("article.turn .answer").wait_for()
    context.close()
    return float(shown)


def _weight(browser: Any, url: str) -> Weight:
    context = browser.new_context()
    page = context.new_page()
    page.goto(url, wait_until="networkidle")
    loaded = page.evaluate(
        "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".filter(({ name }) => !name.includes('/api/')).map(({ name, decodedBodySize }) => [name, decodedBodySize])"
    )
    context.close()
    sizes = dict(loaded)  # what stands in the page twice is loaded once
    return Weight(len(sizes), sum(sizes.values()))
