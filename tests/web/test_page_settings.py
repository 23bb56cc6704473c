"""Settings, the folder chooser and deletion in a real browser."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import LAPTOP, PHONE, ask, faults, opened, until
from helpers.media.small_video import write_small_video
from helpers.media.speech import write_spoken
from helpers.servers.openai_server import openai_server, says
from helpers.servers.web_server import web_server

from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace

pytestmark = pytest.mark.nightly

COST = "What does the blue kettle cost?"
SCREENS = [(LAPTOP, "light"), (PHONE, "dark")]


def _clips(folder: Path, *names: str) -> list[Path]:
    """Videos that differ in their last bytes, which no player reads."""
    files = []
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        file = write_small_video(folder / name)
        file.write_bytes(file.read_bytes() + b"\0\0\0\x09free" + bytes([number]))
        files.append(file)
    return files


def _open_settings(page: Any) -> Any:
    if page.get_by_role("button", name="Menu").is_visible():
        page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Settings")
    dialog.wait_for()
    return dialog


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_what_is_switched_in_the_settings_stays(
    browser: Any, tmp_path: Path, size: dict[str, int], scheme: str
) -> None:
    workspace = Workspace(tmp_path / "library", load())
    (talk,) = _clips(tmp_path, "talk.mp4")
    workspace.add(talk)
    with (
        web_server(workspace) as server,
        opened(browser, server.url, viewport=size, color_scheme=scheme) as page,
    ):
        dialog = _open_settings(page)
        dialog.get_by_role("checkbox", name="On-screen text", exact=True).uncheck()
        dialog.get_by_text("Tools while answering").click()
        dialog.get_by_label("Calculator").focus()
        page.keyboard.press("Space")
        until(page, "document.activeElement.closest('#tool-list') !== null")  # the focus stays in the list
        dialog.get_by_role("combobox", name="Language").select_option("de")
        dialog.get_by_text("Storage").click()
        dialog.get_by_text("free on this disk").wait_for()
        assert faults(page) == []
        page.keyboard.press("Escape")
        page.reload()
        dialog = _open_settings(page)
        assert not dialog.get_by_role("checkbox", name="On-screen text", exact=True).is_checked()
        assert dialog.get_by_role("checkbox", name="Sounds", exact=True).is_checked()
        assert dialog.get_by_role("combobox", name="Language").input_value() == "de"
        assert server.service.workspace.settings.tools.off == ("calculator",)


def test_what_was_indexed_without_its_speech_is_transcribed_from_the_settings(browser: Any, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load(overrides=("engines.speech=[]",)))
    video = workspace.add(write_spoken(tmp_path / "spoken.wav")).video.id
    again = Workspace(tmp_path / "library", load())
    with web_server(again) as server, opened(browser, server.url) as page:
        dialog = _open_settings(page)
        dialog.get_by_text("1 video without a transcript.").wait_for()
        dialog.get_by_role("checkbox", name="Speech", exact=True).uncheck()
        dialog.get_by_text("Speech is off.").wait_for()
        assert dialog.get_by_role("button", name="Transcribe now").is_disabled()
        dialog.get_by_role("checkbox", name="Speech", exact=True).check()
        dialog.get_by_role("button", name="Transcribe now").click()
        page.keyboard.press("Escape")
        page.locator("#indexing").get_by_text("Indexed", exact=True).wait_for(timeout=120_000)
        assert "speech" in server.service.video(video).layers


def test_a_dead_server_of_models_is_seen_beside_the_question(browser: Any, small_workspace: Workspace) -> None:
    workspace = copy.copy(small_workspace)
    video = workspace.library.resolve("talk.mp4").id
    with openai_server([says("The blue kettle costs 249 dollars [00:00:04].")]) as endpoint:
        at = ("controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=large")
        workspace.settings = load(overrides=at)
        endpoint.models = ("large",)
        with web_server(workspace) as server, opened(browser, f"{server.url}/#/new/{video}") as page:
            page.get_by_text("openai/large is ready.").wait_for()
            for _ in range(3):
                page.locator("h1:visible").focus()
                page.get_by_label("Your question").focus()
            assert endpoint.listed == 1
    with web_server(workspace) as server, opened(browser, f"{server.url}/#/new/{video}") as page:
        page.locator("#model-state.bad").get_by_text("openai/large can’t answer").wait_for()
        assert faults(page) == []
        dialog = _open_settings(page)
        dialog.get_by_label("No language model").check()
        page.keyboard.press("Escape")
        until(page, "document.querySelector('#model-state').hidden")
        ask(page, COST).locator(".answer").get_by_text("249 dollars").first.wait_for()


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_files_are_added_from_folders(browser: Any, tmp_path: Path, size: dict[str, int], scheme: str) -> None:
    folder = tmp_path / "Videos"
    known, *_ = _clips(folder, "talk.mp4", "holiday/beach.mp4", "holiday/2025/harbour.mp4", "work/desk.mp4")
    workspace = Workspace(tmp_path / "library", load())
    workspace.add(known)
    with (
        web_server(workspace, folders=[folder]) as server,
        opened(browser, server.url, viewport=size, color_scheme=scheme) as page,
    ):
        page.get_by_role("button", name="From a folder").click()
        dialog = page.get_by_role("dialog", name="Add from a folder")
        assert dialog.get_by_role("checkbox", name="talk.mp4").is_disabled()
        dialog.get_by_text("in the library").wait_for()
        until(page, "document.querySelector('#chooser-list img')?.naturalWidth === 320")
        assert faults(page) == []
        dialog.get_by_role("button", name="holiday/").click()
        assert page.evaluate("document.activeElement.closest('#chooser-list') !== null")
        dialog.get_by_role("checkbox", name="beach.mp4").check()
        dialog.get_by_role("button", name="2025/").click()
        assert dialog.get_by_role("checkbox", name="harbour.mp4").count() == 1
        dialog.get_by_role("button", name="Videos").click()
        dialog.get_by_label("Select all (3)").click()
        dialog.get_by_text("3 selected").wait_for()
        dialog.get_by_label("Filter by name").fill("harbour")
        dialog.get_by_role("checkbox", name="harbour.mp4").uncheck()
        dialog.get_by_role("button", name="Done").click()
        page.get_by_role("heading", name="desk.mp4").wait_for()
        names = {video.name for video in server.service.library.videos()}
        assert names == {"talk.mp4", "beach.mp4", "desk.mp4"}


@pytest.mark.parametrize("uploaded", [True, False])
def test_a_deletion_says_what_goes_and_what_stays(browser: Any, tmp_path: Path, uploaded: bool) -> None:
    (clip,) = _clips(tmp_path, "talk.mp4")
    workspace = Workspace(tmp_path / "library", load())
    if not uploaded:
        workspace.add(clip)
    with web_server(workspace) as server, opened(browser, server.url) as page:
        if uploaded:
            page.locator("#files").set_input_files(clip)
            page.locator("#indexing").get_by_text("Indexed").wait_for(timeout=120_000)
        page.get_by_role("link", name="Ask about talk.mp4").click()
        ask(page, COST).locator(".answer").wait_for()
        page.get_by_role("link", name="Library").click()
        page.get_by_role("button", name="Delete talk.mp4").click()
        facts = page.get_by_role("dialog").locator("dl > div")
        facts.nth(1).wait_for()
        deleted, kept = facts.all_inner_texts()
        assert ("its uploaded file" in deleted) is uploaded
        assert ("The file itself" in kept) is not uploaded
        assert "1 chat about it" in kept
        assert faults(page) == []
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.get_by_text("No videos yet").wait_for()
        assert clip.is_file()
        page.locator("#threads a").first.click()
        # It may be among the closest lines, which are folded.
        page.locator(".answer .chip").first.dispatch_event(
            "click"
        )  # it may be among the closest lines, which are folded
        page.get_by_text("That video was deleted.").wait_for()


def test_the_page_stays_small() -> None:
    from importlib.resources import files

    parts = [file for file in (files("longtake.web") / "page").iterdir() if file.is_file()]
    assert sum(len(part.read_bytes()) for part in parts) < 200_000


def test_how_something_is_read_is_folded_in_the_settings(browser: Any, small_workspace: Workspace) -> None:
    with web_server(small_workspace) as server, opened(browser, server.url) as page:
        dialog = _open_settings(page)
        assert not [word for word in ("pip install", "--set", "extractive") if word in dialog.inner_text()]
        row = dialog.get_by_role("listitem").filter(has_text="not available here").first
        row.locator("summary").click()
        assert row.locator("details p").is_visible()
        assert faults(page) == []


def test_a_hit_of_the_search_says_whether_it_is_said_or_shown(browser: Any, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    for clip in _clips(tmp_path, "a/talk.mp4", "b/other.mp4"):
        workspace.add(clip)
    with web_server(workspace) as server, opened(browser, server.url) as page:
        assert "Enter" in str(page.get_by_label("Search the library").get_attribute("placeholder"))
        for words, kind in (("blue kettle", "said"), ("Room 4417", "on screen")):
            page.get_by_label("Search the library").fill(words)
            page.keyboard.press("Enter")
            page.locator(".found li").filter(has_text=words).get_by_text(kind, exact=True).first.wait_for()
