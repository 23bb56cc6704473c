"""A real browser: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

LAPTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
PATIENCE = 120_000  # milliseconds; on a busy machine, a first index or answer takes longer than Playwright waits
_MORE_RULES = ("target-size", "label-content-name-mismatch")  # of WCAG 2.2 that axe leaves out unless told


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser until the block is left; tests are skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs the system package chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, url: str, **options: Any) -> Iterator[Any]:
    """A page without cookies; what breaks in its scripts, or is against its security policy, fails the test."""
    context = browser.new_context(**{"viewport": LAPTOP, **options})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security Policy" in said.text else None)
    page.goto(url)
    yield page
    context.close()
    assert complaints == []


def come_back(page: Any, url: str, text: str) -> None:
    """Load a page anew until its status says a text: Chromium may pass on what a page stored a moment late."""
    deadline = time.monotonic() + 20
    while True:
        page.goto("about:blank")
        page.goto(url)
        if page.get_by_role("status").inner_text() == text or time.monotonic() > deadline:
            return


def ask(page: Any, question: str) -> Any:
    """Type a question, send it, and return the article that will hold its answer."""
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    return page.locator("article.turn", has=page.get_by_role("heading", name=question, exact=True)).last


@contextmanager
def spotless(browser: Any, **options: Any) -> Iterator[Any]:
    """A page that must load whole and say nothing in its console, and in which Chromium must find no issue.

    Its issues are those of the DevTools: deprecated interfaces, quirks mode, refused content, cookies and more.
    """
    context = browser.new_context(**{"viewport": LAPTOP, **options})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
    page.on("response", lambda got: complaints.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    devtools = context.new_cdp_session(page)
    devtools.on("Audits.issueAdded", lambda found: complaints.append(str(found["issue"])))
    devtools.send("Audits.enable")
    yield page
    context.close()
    assert complaints == []


def player_time(page: Any) -> float:
    """Seconds at which the player is."""
    return float(page.evaluate("document.querySelector('video').currentTime"))


def until(page: Any, expression: str) -> None:
    """Wait until an expression is true; `wait_for_function` would evaluate it where the page's policy forbids that."""
    deadline = time.monotonic() + 30
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"not within 30 s: {expression}"
        page.wait_for_timeout(50)


def faults(page: Any) -> list[str]:
    """Serious and critical faults, each with what it is found in."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    violations = axe.run(page, options={"rules": {rule: {"enabled": True} for rule in _MORE_RULES}}).response[
        "violations"
    ]
    return [
        f"{each['id']}: {node['html'][:200]}"
        for each in violations
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, for the tests of a module."""
    with chromium() as started:
        yield started
