"""Drives Chromium against a page, and writes what it shows as pictures."""

from __future__ import annotations

import io
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from longtake.benchmarks.processes import MAX_SECONDS
from longtake.errors import EngineError, EngineUnavailable
from longtake.memory.records import Record

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


class Picture(Record):
    """A picture that was written, with the name of its file in the folder; width and height in pixels."""

    file: str
    width: int
    height: int
    bytes: int


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
    page.set_default_timeout(1000 * MAX_SECONDS)
    yield page
    context.close()


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


def settle(page: Any, players: str = "video") -> None:
    """Wait until these players show the second that they were sent to, and stop them."""
    shown = "video.currentTime > 0 && !video.seeking && video.readyState > 2"
    wait_until(page, f"[...document.querySelectorAll('{players}')].every(video => {shown})")
    page.evaluate(f"document.querySelectorAll('{players}').forEach(video => video.pause())")


def save(page: Any, out: Path, name: str) -> Picture:
    """Write what the page shows, in 128 colours: a third of the bytes, and no difference to the eye."""
    file = out / name
    page.mouse.move(0, 0)  # a line under the pointer looks chosen
    page.wait_for_load_state("networkidle")
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shown.quantize(128).save(file, optimize=True)
    return Picture(file=name, width=shown.width, height=shown.height, bytes=file.stat().st_size)
