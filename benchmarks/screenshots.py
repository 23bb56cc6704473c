"""Takes the pictures of the documentation: the page, a trace and an evaluation report about the demo video."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from longtake.benchmarks.browser import ask, browser, new_page, served
from longtake.benchmarks.hour.reel import Notify
from longtake.benchmarks.page_tour import PRICE, SUMMARY, tour
from longtake.benchmarks.pictures import PHONE, Picture, play_proof, save
from longtake.benchmarks.processes import longtake, run
from longtake.console import Session
from longtake.memory.records import Record, display_name
from longtake.preprocess.demo.demo_truth import load_truth
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.pipeline.workspace import Workspace

LAPTOP = {"width": 1280, "height": 720}
SUBJECTS = ("agent", "retrieval", "transcript")


class View(NamedTuple):
    """A picture of the page: its file, and what is asked in which kind of browser."""

    file: str
    question: str
    viewport: dict[str, int]
    scheme: str


VIEWS = (
    View("page-dark.png", SUMMARY, LAPTOP, "dark"),
    View("page-phone.png", "When does the speaker talk about the storm?", PHONE, "light"),
    View("page-light.png", PRICE, LAPTOP, "light"),
)


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
        workspace = Workspace(library, session.settings)
        workspace.add(demo)
        notify("evaluating")
        report = _evaluate(session, library, demo)
        notify("taking pictures")
        with served(session, library) as url:
            pictures = [_page(chromium, url, view, out) for view in VIEWS]
            pictures.append(_trace(chromium, url, out))
        with new_page(chromium, viewport=LAPTOP, color_scheme="light") as page:
            page.goto(report.as_uri())
            pictures.append(save(page, out, "evaluation.png"))
        notify("taking pictures of every page")
        pictures += tour(session, chromium, workspace, demo, report, out)
    return Screenshots(pictures=tuple(pictures))


def show_screenshots(report: Screenshots) -> list[str]:
    """The report as lines to print."""
    return [f"{each.file}  {each.width} x {each.height}  {each.bytes:,} bytes" for each in report.pictures]


def _page(chromium: Any, url: str, view: View, out: Path) -> Picture:
    """The page with an answered question, its player at the proof."""
    with new_page(chromium, viewport=view.viewport, color_scheme=view.scheme) as page:
        page.goto(url)
        ask(page, view.question)
        play_proof(page)
        return save(page, out, view.file)


def _trace(chromium: Any, url: str, out: Path) -> Picture:
    """The page of the run that summarised: it called tools."""
    with new_page(chromium, viewport=LAPTOP, color_scheme="light") as page:
        page.goto(url)
        page.get_by_role("link", name=SUMMARY).click()
        link = page.get_by_role("link", name="Trace", exact=True, include_hidden=True)
        page.goto(urljoin(url, link.get_attribute("href")))
        play_proof(page)
        return save(page, out, "trace.png")


def _evaluate(session: Session, library: Path, demo: Path) -> Path:
    """Ask three subjects the answerable questions about the demo video; returns the report's file."""
    folder = demo.parent
    rows = [
        {"id": f"q{number}", "question": item.question, "answer": item.answer, "video": demo.name}
        | {"kind": display_name(item.modality or "")}
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
    run(longtake(session, library, "eval", "judge", out, "--by", "rules"))
    run(longtake(session, library, "eval", "report", out))
    return folder / "run" / "report.html"
