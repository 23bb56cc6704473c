"""Takes the pictures of the documentation: the page, a trace and an evaluation report about the demo video."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from PIL import Image

from longtake.bench.browser import ask, browser, new_page, served, wait_until
from longtake.bench.hour.reel import Notify
from longtake.bench.processes import longtake, run
from longtake.console import Session
from longtake.memory.records import Record
from longtake.preprocess.demo.demo_truth import load_truth
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.pipeline.workspace import Workspace

LAPTOP = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
SUMMARY = "Summarise the video."
SUBJECTS = ("agent", "retrieval", "transcript")
_SETTLED = (
    "(video => video?.currentTime > 0 && !video.seeking && video.readyState > 2)(document.querySelector('video'))"
)


class View(NamedTuple):
    """A picture of the page: its file, and what is asked in which kind of browser."""

    file: str
    question: str
    viewport: dict[str, int]
    scheme: str


VIEWS = (
    View("page-dark.png", SUMMARY, LAPTOP, "dark"),
    View("page-phone.png", "When does the speaker talk about the storm?", PHONE, "light"),
    View("page-light.png", "What is the price of the telescope cover?", LAPTOP, "light"),
)


class Picture(Record):
    """A picture that was written; width and height in pixels."""

    file: str
    width: int
    height: int
    bytes: int


class Screenshots(Record):
    """The public shape of `bench screenshots --json`."""

    pictures: tuple[Picture, ...]


def take_screenshots(session: Session, out: Path, notify: Notify) -> Screenshots:
    """Index the demo video, ask about it and evaluate on it, and write pictures of the pages to a folder.

    Args:
        session: its settings count; the library is a temporary one.
        out: an existing folder; pictures in it are replaced.
        notify: called with what happens next.

    Raises:
        EngineUnavailable: without Playwright or a browser.
        EngineError: if the server doesn't start or a command fails.
    """
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder, browser() as chromium:
        notify("making and indexing the demo video")
        library, demo = Path(folder) / "library", make_demo(Path(folder) / "demo")
        Workspace(library, session.settings).add(demo)
        notify("evaluating")
        report = _evaluate(session, library, demo)
        notify("taking pictures")
        with served(session, library) as url:
            pictures = [_page(chromium, url, view, out) for view in VIEWS]
            pictures.append(_trace(chromium, url, out / "trace.png"))
        with new_page(chromium, viewport=LAPTOP, color_scheme="light") as page:
            page.goto(report.as_uri())
            pictures.append(_save(page, out / "evaluation.png"))
    return Screenshots(pictures=tuple(pictures))


def show_screenshots(report: Screenshots) -> list[str]:
    """The report as lines to print."""
    return [f"{each.file}  {each.width} x {each.height}  {each.bytes:,} bytes" for each in report.pictures]


def _page(chromium: Any, url: str, view: View, out: Path) -> Picture:
    """The page with an answered question, its player at the proof."""
    with new_page(chromium, viewport=view.viewport, color_scheme=view.scheme) as page:
        page.goto(url)
        ask(page, view.question)
        _play_proof(page)
        return _save(page, out / view.file)


def _trace(chromium: Any, url: str, file: Path) -> Picture:
    """The page of the run that summarised: it called tools."""
    with new_page(chromium, viewport=LAPTOP, color_scheme="light") as page:
        page.goto(url)
        page.get_by_role("link", name=SUMMARY).click()
        link = page.get_by_role("link", name="Trace", exact=True, include_hidden=True)
        page.goto(urljoin(url, link.get_attribute("href")))
        _play_proof(page)
        return _save(page, file)


def _play_proof(page: Any) -> None:
    """Play the first citation until its picture is there, and stop."""
    page.locator(".answer .chip").first.click()
    wait_until(page, _SETTLED)
    page.evaluate("document.querySelector('video').pause()")


def _save(page: Any, file: Path) -> Picture:
    """Write what the page shows, in 256 colours: a third of the bytes, and no difference to the eye."""
    page.wait_for_load_state("networkidle")
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shown.quantize(256).save(file, optimize=True)
    return Picture(file=file.name, width=shown.width, height=shown.height, bytes=file.stat().st_size)


def _evaluate(session: Session, library: Path, demo: Path) -> Path:
    """Ask three subjects the answerable questions about the demo video; returns the report's file."""
    folder = demo.parent
    rows = [
        {"id": f"q{number}", "question": item.question, "answer": item.answer, "video": demo.name}
        | {"kind": item.modality}
        for number, item in enumerate(load_truth().questions, start=1)
        if item.answerable
    ]
    card = {
        "name": "demo",
        "file": "questions.json",
        "videos": ".",
        "fields": {"id": "id", "question": "question", "answer": "answer", "video": "video", "task": "kind"},
        "format": "open",
        "answer": "text",
    }
    (folder / "questions.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "card.yaml").write_text(json.dumps(card), encoding="utf-8")  # JSON is YAML
    out = str(folder / "run")
    subjects = [part for subject in SUBJECTS for part in ("--subject", subject)]
    run(longtake(session, library, "eval", "run", str(folder / "card.yaml"), "--suite", "own", "--out", out, *subjects))
    run(longtake(session, library, "eval", "judge", out))
    run(longtake(session, library, "eval", "report", out))
    return folder / "run" / "report.html"
