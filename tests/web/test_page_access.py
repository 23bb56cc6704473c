"""The page for everybody: its token, its security policy, and what axe finds in it."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.browser import LAPTOP, PHONE, ask, faults, opened, spotless, until
from helpers.servers.server_events import answer, begin
from helpers.servers.web_server import WebServer, web_server

from longtake.preprocess.pipeline.workspace import Workspace

pytestmark = pytest.mark.slow

SCREENS = [(size, scheme) for size in (LAPTOP, PHONE) for scheme in ("light", "dark")]

# Pictures that are shown in another shape than their own, or move what follows them when they arrive.
_UNSIZED = """[...document.images].filter(image => image.checkVisibility()).filter(image => {
    const [{ width, height }, { objectFit }] = [image.getBoundingClientRect(), getComputedStyle(image)];
    const apart = Math.abs(width / height - image.naturalWidth / image.naturalHeight);
    return (objectFit === "fill" && apart > 0.05) || !(image.getAttribute("width") && image.getAttribute("height"));
}).map(image => image.outerHTML)"""


@pytest.mark.nightly
@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_axe_finds_no_serious_fault(browser: Any, server: WebServer, size: dict[str, int], scheme: str) -> None:
    with opened(browser, server.url, viewport=size, color_scheme=scheme, reduced_motion="reduce") as page:
        page.get_by_role("link", name="Ask about talk.mp4").wait_for()
        page.locator("li.card summary").click()
        assert faults(page) == []
        page.get_by_role("link", name="Ask about talk.mp4").click()
        page.get_by_role("region", name="Overview").wait_for()
        assert faults(page) == []
        ask(page, "What does the blue kettle cost?").locator(".answer").wait_for()
        until(page, "document.querySelector('.lane.speech path[d^=M]')")
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Videos of this chat").click()
        assert faults(page) == []
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.locator("h1:visible").focus()
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
        assert faults(page) == []


@pytest.mark.nightly
@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_every_page_follows_good_practice(browser: Any, server: WebServer, video: str, size: dict[str, int]) -> None:
    with server.client() as client:
        thread = begin(client, video)
        trace = answer(client, thread, "What does the blue kettle cost?")["answer"]["trace"]
    shown = {
        "/": "li.card img",
        f"/#/new/{video}": "#overview",
        f"/#/thread/{thread}": ".answer",
        f"/api/traces/{trace}": ".chip",
    }
    for path, part in shown.items():
        with spotless(browser, viewport=size) as page:
            policy = page.goto(f"{server.url}{path}").headers["content-security-policy"]
            assert "default-src 'none'" in policy
            page.locator(part).first.wait_for()
            page.wait_for_load_state()  # a player may go on loading its video
            assert page.evaluate("[document.compatMode, document.characterSet]") == ["CSS1Compat", "UTF-8"]
            assert "width=device-width" in page.locator("meta[name=viewport]").get_attribute("content")
            assert page.evaluate("document.documentElement.lang && document.title")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.evaluate(_UNSIZED) == []


def test_the_page_asks_for_the_token_and_keeps_who_gave_it(browser: Any, small_workspace: Workspace) -> None:
    with web_server(small_workspace, token="open-sesame") as server, opened(browser, server.url) as page:
        field = page.get_by_label("Token", exact=True)
        field.fill("close-sesame")
        assert faults(page) == []
        page.get_by_role("button", name="Continue").click()
        page.get_by_text("The access token is wrong.").wait_for()
        assert page.locator("li.card").count() == 0
        field.fill("open-sesame")
        page.keyboard.press("Enter")
        page.locator("li.card", has_text="talk.mp4").wait_for()
        page.reload()
        page.locator("li.card", has_text="talk.mp4").wait_for()
        assert page.get_by_role("dialog").count() == 0


def test_the_page_loads_nothing_from_elsewhere_and_runs_no_script_that_is_not_its_own(
    browser: Any, server: WebServer
) -> None:
    asked: list[str] = []
    refused: list[str] = []
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda said: refused.append(said.text))
    page.goto(server.url)
    page.locator("li.card").wait_for()
    page.evaluate(
        "() => { const made = document.createElement('script'); made.textContent = 'globalThis.ran = true';"
        " document.body.append(made); }"
    )
    assert page.evaluate("globalThis.ran") is None
    assert any("Content Security Policy" in text for text in refused)
    page.close()
    assert f"{server.url}/page/main.js" in asked
    assert all(url.startswith(server.url) for url in asked)
