"""Who and what a video shows, names and lets speak: its routes, and the panel of the page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.browser import PHONE, faults, opened, until
from helpers.libraries import SETTINGS
from helpers.media.talk_of_topics import SECONDS, write_talk
from helpers.servers.web_server import WebServer, web_server

from longtake.preprocess.pipeline.workspace import Workspace

LINES = (
    *("Ines: How did you sleep?", "Walter: I slept well, thank you.") * 10,
    *("Mags: I wake up somewhere else.", "Ines: So it is settled.", "Mags: I agree with that."),
)
FIRST = 8  # places of each that the page shows at once


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a talk of three people."""
    root = tmp_path_factory.mktemp("panel")
    Workspace(root / "library", SETTINGS).add(write_talk(root / "panel.wav", LINES))
    return root / "library"


@pytest.fixture
def server(panel: Path, tmp_path: Path) -> Iterator[WebServer]:
    with web_server(Workspace(Path(shutil.copytree(panel, tmp_path / "own")), SETTINGS)) as server:
        yield server


@pytest.fixture
def path(server: WebServer) -> str:
    """Of the entities of the talk."""
    return f"/api/videos/{server.service.library.resolve('panel.wav').id}/entities"


def rename(client: httpx.Client, path: str, **names: str) -> httpx.Response:
    return client.patch(path, json={"names": names})


def named(response: httpx.Response) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    return {each["name"]: each for each in response.json()["entities"]}


def test_entities_are_listed_once_and_again_without_work(client: httpx.Client, path: str) -> None:
    listed = client.get(path)
    found = named(listed)
    assert {name: each["kind"] for name, each in found.items()} == dict.fromkeys(("Ines", "Walter", "Mags"), "person")
    assert found["Mags"]["spans"][0] == {"start": 20 * SECONDS, "end": 21 * SECONDS}
    tag = {"If-None-Match": listed.headers["etag"]}
    assert client.get(path, headers=tag).status_code == 304
    rename(client, path, Mags="Margaret")
    assert set(named(client.get(path, headers=tag))) == {"Ines", "Walter", "Margaret"}


def test_entities_are_renamed_joined_and_taken_out(client: httpx.Client, server: WebServer, path: str) -> None:
    renamed = named(rename(client, path, Mags=" Margaret Stone "))
    assert renamed["Margaret Stone"]["aliases"] == ["Mags"]
    assert named(rename(client, path, Mags="Margaret"))["Margaret"]["spans"] == renamed["Margaret Stone"]["spans"]
    joined = named(rename(client, path, Margaret="Ines", Walter="Walter Hale"))
    assert set(joined) == {"Ines", "Walter Hale"}
    assert joined["Ines"]["aliases"] == ["Mags"]
    assert set(named(rename(client, path, **{"Walter Hale": ""}))) == {"Ines"}
    assert set(named(client.get(path))) == {"Ines"}
    video = server.service.library.resolve("panel.wav")
    assert server.service.index.holds(video.id)


@pytest.mark.parametrize(
    "names",
    [
        {},
        {"Nobody": "Anna"},
        {"Mags": "M" * 101},
        {"Mags": "?!"},
        {"": "Anna"},
        {"M" * 1001: "Anna"},
        {f"Mags {number}": "Anna" for number in range(101)},
    ],
)
def test_what_names_nothing_or_is_too_long_is_refused_and_changes_nothing(
    client: httpx.Client, path: str, names: dict[str, str]
) -> None:
    before = client.get(path).json()
    refused = rename(client, path, **names)
    assert refused.status_code == 400
    assert refused.json()["error"]["message"]
    assert client.get(path).json() == before


def test_names_are_not_changed_while_their_video_is_indexed(client: httpx.Client, server: WebServer, path: str) -> None:
    with server.service.library.lock(path.split("/")[3]):
        refused = rename(client, path, Mags="Margaret")
        assert refused.status_code == 409
        assert "panel.wav is being indexed" in refused.json()["error"]["message"]
    assert "Margaret" in named(rename(client, path, Mags="Margaret"))
    assert rename(client, path.replace(path.split("/")[3], "0" * 16), Mags="Margaret").status_code == 404


@pytest.mark.nightly
@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "color_scheme": "dark"}])
def test_the_panel_plays_and_corrects_who_is_there(browser: Any, server: WebServer, options: dict[str, Any]) -> None:
    video = server.service.library.resolve("panel.wav").id
    with opened(browser, f"{server.url}/#/new/{video}", **options) as page:
        panel = page.get_by_role("region", name="What is said and shown")
        panel.get_by_role("button", name="People & things").click()
        rows = panel.get_by_role("list", name="People & things").get_by_role("listitem")
        rows.filter(has_text="Walter").get_by_role("button", name="2 more").click()
        chips = rows.filter(has_text="Walter").locator(".chip")
        assert chips.count() == FIRST + 2
        assert chips.nth(FIRST).evaluate("chip => chip === document.activeElement")
        chips.nth(1).click()
        until(page, f"Math.abs(document.querySelector('video').currentTime - {3 * SECONDS}) < 4")
        page.evaluate("document.querySelector('video').pause()")

        panel.get_by_role("button", name="Rename Mags").press("Enter")
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("Escape")
        panel.get_by_role("button", name="Rename Mags").press("Enter")
        page.keyboard.type("  ")
        page.keyboard.press("Enter")
        panel.get_by_label("New name of Mags").fill("Margaret Stone")
        page.keyboard.press("Enter")
        rows.filter(has_text="Margaret Stone").get_by_text("also Mags").wait_for()
        until(page, "document.activeElement.ariaLabel === 'Rename Margaret Stone'")

        page.keyboard.press("Enter")
        page.keyboard.type("Ines")
        page.keyboard.press("Enter")
        until(page, "document.querySelectorAll('.entity').length === 2")
        panel.get_by_role("button", name="Rename Walter").click()
        panel.get_by_role("button", name="Not there: Walter").click()
        page.get_by_role("dialog").get_by_role("button", name="Take out").click()
        until(page, "document.querySelectorAll('.entity').length === 1")
        page.reload()
        panel.get_by_role("button", name="People & things").click()
        rows.first.wait_for()
        assert rows.locator("strong").all_inner_texts() == ["Ines"]


def test_a_video_of_nobody_says_so(browser: Any, small_workspace: Workspace) -> None:
    video = small_workspace.library.resolve("talk.mp4").id
    with web_server(small_workspace) as server, opened(browser, f"{server.url}/#/new/{video}") as page:
        page.get_by_role("button", name="People & things").click()
        page.get_by_text("No people or things were found.").wait_for()
