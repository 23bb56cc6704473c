"""The page of a trace in a real browser: what is looked at is played, nothing said runs, and everybody can read it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import LAPTOP, PHONE, faults, opened, until
from helpers.data.hostile_trace import write_hostile_trace
from helpers.data.recorded import EVENTFUL, recorded
from helpers.servers.web_server import web_server

from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.pages.page import address_from, page_of
from longtake.preprocess.pipeline.workspace import Workspace

pytestmark = pytest.mark.slow

TIME = "document.querySelector('video').currentTime"


@pytest.fixture(scope="module")
def run(small_workspace: Workspace) -> LenientRun:
    return recorded(small_workspace, *EVENTFUL)


@pytest.fixture
def page_file(run: LenientRun, small_workspace: Workspace, tmp_path: Path) -> Path:
    """The page beside the video that it plays."""
    file = tmp_path / "run.html"
    shutil.copy(small_workspace.library.resolve("talk.mp4").path, tmp_path)
    file.write_text(page_of(run.trace, small_workspace.library, lambda video: video.name), encoding="utf-8")
    return file


def test_what_a_step_looked_at_and_what_is_cited_is_played(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file.as_uri()) as page:
        page.locator("#step-3, #step-4").get_by_role("button", name="Play talk.mp4 0:03").first.click()
        until(page, f"3 <= {TIME} && {TIME} < 4")
        page.locator("#answer").get_by_role("button", name="Play talk.mp4 0:04").click()
        until(page, f"4 <= {TIME} && {TIME} < 5.5")
        track = page.get_by_role("slider", name="Transcribe speech").first
        box = track.bounding_box()
        track.click(position={"x": box["width"] * 7 / 8, "y": 3})
        until(page, f"{TIME} >= 6.5")
        page.mouse.move(box["x"] + box["width"] * 5 / 8, box["y"] + 3)
        assert "Transcribe speech, 1 found" in page.locator("#preview").inner_text()
        until(page, "document.querySelector('#preview img').naturalWidth > 0")


def test_a_step_opens_to_its_arguments_and_its_result(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file.as_uri()) as page:
        step = page.locator("li.tool", has_text="Transcribe speech").first
        assert not step.get_by_text('"transcript"').is_visible()
        step.locator("summary").click()
        assert step.get_by_text('"transcript": "The blue kettle costs 249 dollars."').is_visible()
        assert step.get_by_text("As sent").is_visible()


def test_stills_take_the_place_of_a_video_that_has_gone(browser: Any, page_file: Path) -> None:
    (page_file.parent / "talk.mp4").unlink()
    with opened(browser, page_file.as_uri()) as page:
        page.locator("#answer").get_by_role("button", name="Play talk.mp4 0:04").click()
        page.get_by_text("this is a still from 0:04.").wait_for()
        until(page, "document.querySelector('#player img').naturalWidth > 0")
        red = """image => { const canvas = new OffscreenCanvas(1, 1).getContext("2d");
                  canvas.drawImage(image, 0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data[0]; }"""
        assert page.locator("#player img").evaluate(red) > 150


def test_the_page_of_the_server_plays_too(browser: Any, run: LenientRun, small_workspace: Workspace) -> None:
    with web_server(small_workspace) as server, opened(browser, f"{server.url}/api/traces/{run.id}") as page:
        page.locator("#answer").get_by_role("button", name="Play talk.mp4 0:04").click()
        until(page, f"{TIME} >= 4")


def test_a_slide_that_says_a_script_runs_none(browser: Any, tmp_path: Path) -> None:
    trace, library = write_hostile_trace(tmp_path / "library")
    file = tmp_path / "run.html"
    file.write_text(page_of(trace, library, address_from(tmp_path)), encoding="utf-8")
    with opened(browser, file.as_uri()) as page:
        until(page, "document.querySelectorAll('.lane.speech path').length")
        track = page.get_by_role("slider", name="Speech")
        track.hover(position={"x": track.bounding_box()["width"] * 0.2, "y": 5})
        page.locator("summary").first.click()
        page.locator(".chip").first.click()
        assert "<script>" in page.locator("#preview").inner_text()
        assert "<script>" in page.locator("#answer").inner_text()
        assert page.locator("[onerror]").count() == 0
        assert page.title() == f"Trace {trace.run}"


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_axe_finds_no_serious_fault(browser: Any, page_file: Path, size: dict[str, int], scheme: str) -> None:
    with opened(browser, page_file.as_uri(), viewport=size, color_scheme=scheme) as page:
        until(page, "document.querySelectorAll('.lane.speech path').length")
        assert faults(page) == []
        for summary in page.locator("summary").all():
            summary.click()
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
