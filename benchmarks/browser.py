"""Serves a library and drives Chromium against it, for the commands that need a browser."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longtake.benchmarks.processes import MAX_SECONDS
from longtake.benchmarks.serving import serving
from longtake.console import Session
from longtake.errors import EngineError, EngineUnavailable

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_MILLISECONDS = 1000 * MAX_SECONDS  # for one element to appear


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window.

    Raises:
        EngineUnavailable: without Playwright or a browser.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise EngineUnavailable("Driving a browser needs Playwright: pip install playwright.") from error
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise EngineUnavailable(f"No browser found to open the page in: install one of {', '.join(_PROGRAMS)}.")
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@contextmanager
def new_page(chromium: Any, **options: Any) -> Iterator[Any]:
    """A page in a fresh profile; `options` are those of Playwright's `new_context`."""
    context = chromium.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(_MILLISECONDS)
    yield page
    context.close()


@contextmanager
def served(session: Session, library: Path, *options: str) -> Iterator[str]:
    """Run `longtake serve` with these options in its own process; gives its address.

    Raises:
        EngineError: if the server doesn't start.
    """
    with serving(session, library, *options) as (_, url):
        yield url


def ask(page: Any, question: str) -> None:
    """On the page of the library: choose its first video, ask, and wait for the answer."""
    page.get_by_role("link", name="Ask").first.click()
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.locator("article.turn .answer").wait_for()


def wait_until(page: Any, condition: str) -> None:
    """Wait for a JavaScript condition; the page's security policy forbids Playwright's own `wait_for_function`.

    Raises:
        EngineError: if it doesn't come true.
    """
    deadline = time.monotonic() + MAX_SECONDS
    while not page.evaluate(condition):
        if time.monotonic() > deadline:
            raise EngineError(f"The page took longer than {MAX_SECONDS:g} s to get ready; still false: {condition}")
        page.wait_for_timeout(50)
