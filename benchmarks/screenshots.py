"""Takes the pictures of the documentation: every page and state of it, a trace and an evaluation report."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urljoin

import typer

from longtake.agent.graph.agent import Agent
from longtake.benchmarks.browser import Picture, browser, new_page, save, settle, wait_until
from longtake.benchmarks.processes import longtake, run, serving
from longtake.benchmarks.reports import Notify, Report
from longtake.cli.options import ensure_folder
from longtake.console import Session
from longtake.exports.clip_export import write_clip
from longtake.memory.records import display_name
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.demo.demo_truth import load_truth
from longtake.preprocess.demo.make import copy_voice, make_demo
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace

Page = Any  # of Playwright
Look = tuple[dict[str, int], str, str]  # size, colours, and the ending of the name

LAPTOP = {"width": 1280, "height": 720}
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
LIGHT: tuple[Look, ...] = ((DESKTOP, "light", ""), (PHONE, "light", "-phone"))
DARK: tuple[Look, ...] = ((DESKTOP, "dark", "-dark"), (PHONE, "dark", "-dark-phone"))
_SPINNING = 2000  # milliseconds for which a player shows that it loads
_PARTS = {"dome.mp4": TimeSpan(start=76.0, end=90.0), "telescope.mp4": TimeSpan(start=25.5, end=50.0)}
_PRICE = "What is the price of the telescope cover?"
# Questions by their thread; that of `both` is about two videos.
_ASKED = {
    "summary": "Summarise the video.",  # calls tools
    "price": _PRICE,
    "builder": "Who built the telescope?",
    "storm": "When does the speaker talk about the storm?",
    "both": _PRICE,
}
_SUBJECTS = ("agent", "retrieval", "transcript")
_CARD = {
    "name": "demo",
    "file": "questions.json",
    "videos": ".",
    "fields": {"id": "id", "question": "question", "answer": "answer", "video": "video", "task": "kind"},
    "format": "open",
    "answer": "text",
}


class State(NamedTuple):
    """What a picture shows: its name, its address (from that of the server), and what is done there first."""

    name: str
    at: str
    reach: Callable[[Page], None]
    looks: tuple[Look, ...] = LIGHT


class Screenshots(Report):
    """What was written."""

    pictures: tuple[Picture, ...]


def take_screenshots(
    session: Session,
    notify: Notify,
    out: Annotated[Path, typer.Option(help="Folder for the pictures.", file_okay=False)] = Path("docs/images"),
) -> Screenshots:
    """Take the documentation's pictures of the page, a trace and a report; needs Playwright and Chromium."""
    ensure_folder(out / "page")
    pictures: list[Picture] = []
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as temporary, browser() as chromium:
        notify("making and indexing the demo video")
        folder = Path(temporary)
        library, demo = folder / "library", make_demo(folder / "demo")
        workspace = Workspace(library, session.settings)
        first = workspace.add(demo).video.id
        notify("evaluating")
        report = _evaluate(session, library, demo)
        notify("asking")
        videos = _folder_of(demo)
        second = workspace.add(videos / "telescope.mp4").video.id
        agent = Agent(workspace)
        traces = {
            thread: agent.ask([first, second] if thread == "both" else [first], question, thread=thread).trace or ""
            for thread, question in _ASKED.items()
        }
        agent.close()
        places = {"first": first, "trace": traces["summary"], "report": report.as_uri()}
        for served, options, states in (
            (folder / "empty", ["--token", "only-for-a-picture"], LOCKED),
            (folder / "empty", [], EMPTY),
            (library, ["--folder", str(videos)], STATES),
        ):
            with serving(session, served, *options) as (_, url):
                for state in states:
                    notify(state.name)
                    pictures += _taken(chromium, state, urljoin(url, state.at.format(**places)), out)
    return Screenshots(pictures=tuple(pictures))


def _taken(chromium: Any, state: State, url: str, out: Path) -> Sequence[Picture]:
    taken = []
    for size, scheme, ending in state.looks:
        with new_page(chromium, viewport=size, color_scheme=scheme, reduced_motion="reduce") as page:
            page.goto(url)
            state.reach(page)
            taken.append(save(page, out, f"{state.name}{ending}.png"))
    return taken


def _folder_of(demo: Path) -> Path:
    """A folder of videos, as someone may have one: parts of the demo video, and its speech in a folder of its own."""
    folder = demo.parent / "Videos"
    (folder / "Recordings").mkdir(parents=True)
    copy_voice(folder / "Recordings")
    for name, span in _PARTS.items():
        write_clip(demo, probe(demo), span, folder / name)
    return folder


def _evaluate(session: Session, library: Path, demo: Path) -> Path:
    """Ask three subjects the answerable questions about the demo video; returns the report's file."""
    folder = demo.parent
    rows = [
        {"id": f"q{number}", "question": item.question, "answer": item.answer, "video": demo.name}
        | {"kind": display_name(item.modality or "")}
        for number, item in enumerate(load_truth().questions, start=1)
        if item.answerable
    ]
    (folder / "questions.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "card.yaml").write_text(json.dumps(_CARD), encoding="utf-8")  # JSON is YAML
    out = str(folder / "run")
    subjects = [part for subject in _SUBJECTS for part in ("--subject", subject)]
    run(longtake(session, library, "eval", "run", str(folder / "card.yaml"), "--suite", "own", "--out", out, *subjects))
    run(longtake(session, library, "eval", "judge", out, "--by", "rules"))
    run(longtake(session, library, "eval", "report", out))
    return folder / "run" / "report.html"


def _library(page: Page) -> None:
    page.locator("li.card").nth(1).wait_for()


def _chooser(page: Page) -> None:
    _library(page)
    page.get_by_role("button", name="From a folder").click()
    page.locator("#chooser-list li").first.wait_for()


def _chosen(page: Page) -> None:
    _library(page)
    page.locator("li.card summary").first.click()
    page.get_by_role("checkbox", name="Select").first.check()
    page.get_by_role("checkbox", name="Select").nth(1).check()


def _tools(page: Page) -> None:
    _dialog("Settings")(page)
    page.get_by_text("Tools while answering", exact=True).click()
    page.evaluate("document.querySelector('#settings details[open]').scrollIntoView()")


def _dialog(name: str) -> Callable[[Page], None]:
    def reach(page: Page) -> None:
        _library(page)
        if page.get_by_role("button", name="Menu").is_visible():
            page.get_by_role("button", name="Menu").click()
        page.get_by_role("button", name=name).click()
        page.get_by_role("dialog", name=name).wait_for()

    return reach


def _overview(page: Page) -> None:
    page.get_by_role("region", name="Overview").wait_for()
    _drawn(page)
    _centre(page, "#overview")
    page.evaluate("scrollBy(0, -60)")  # on a phone, the player would cover the title


def _answered(page: Page) -> None:
    page.locator(".answer").wait_for()
    _drawn(page)
    _proof(page)


def _proof(page: Page) -> None:
    """Play the first citation until its picture is there, and stop."""
    page.locator(".answer .chip").first.click()
    settle(page)


def _transcript(page: Page) -> None:
    _answered(page)
    _play_line(page, 5)


def _chapters(page: Page) -> None:
    _overview(page)
    page.get_by_role("button", name="Chapters").click()
    _play_line(page, 1)


def _screen(page: Page) -> None:
    _overview(page)
    settle(page)
    page.get_by_role("button", name="On screen").click()
    page.locator("#words [aria-current]").wait_for()
    _centre(page, "#words")


def _details(page: Page) -> None:
    _answered(page)
    page.get_by_text("Details", exact=True).click()
    _centre(page, ".details")


def _play_line(page: Page, number: int) -> None:
    page.locator("#words .lines li button").nth(number).click()
    settle(page)
    _centre(page, "#words")


def _centre(page: Page, part: str) -> None:
    page.evaluate(f"document.querySelector('{part}').scrollIntoView({{ block: 'center' }})")
    page.wait_for_timeout(_SPINNING)


def _compared(page: Page) -> None:
    page.get_by_role("button", name="Compare").click()
    settle(page, "#compare video")
    page.wait_for_timeout(_SPINNING)


def _drawn(page: Page) -> None:
    wait_until(page, "document.querySelector('.lane.speech path[d^=M]')")


def _report(page: Page) -> None:
    page.locator("details.item").first.wait_for()


def _item(page: Page) -> None:
    _report(page)
    page.locator("details.item > summary").nth(1).click()
    page.locator("details.item[open] figure").first.wait_for()
    page.evaluate("document.querySelector('details.item[open]').scrollIntoView()")


def _exported(page: Page) -> None:
    """The exported chat is a download; here, the page shows what it holds."""
    exported = page.request.get(urljoin(page.url, "api/threads/price/export?format=html")).text()
    page.goto("about:blank")
    page.set_content(exported)
    page.evaluate("Object.assign(document.querySelector('video'), { muted: true, currentTime: 2 }).play()")
    settle(page)
    page.wait_for_timeout(_SPINNING)


LOCKED = (State("page/token", "", lambda page: page.get_by_role("dialog").wait_for()),)
EMPTY = (State("page/empty", "", lambda page: page.get_by_text("No videos yet").wait_for()),)
STATES = (
    State("page", "#/thread/summary", _answered, ((LAPTOP, "dark", "-dark"),)),
    State("page", "#/thread/storm", _answered, ((PHONE, "light", "-phone"),)),
    State("page", "#/thread/price", _answered, ((LAPTOP, "light", "-light"),)),
    State("trace", "api/traces/{trace}", _proof, ((LAPTOP, "light", ""),)),
    State("evaluation", "{report}", _report, ((LAPTOP, "light", ""),)),
    State("page/library", "", _library),
    State("page/chosen", "", _chosen),
    State("page/folder", "", _chooser),
    State("page/settings", "", _dialog("Settings")),
    State("page/tools", "", _tools),
    State("page/shortcuts", "", _dialog("Keyboard shortcuts")),
    State("page/overview", "#/new/{first}", _overview),
    State("page/answer", "#/thread/price", _answered, (*LIGHT, *DARK)),
    State("page/details", "#/thread/price", _details),
    State("page/unsure", "#/thread/builder", _answered),
    State("page/transcript", "#/thread/price", _transcript),
    State("page/screen", "#/new/{first}?t=28", _screen),
    State("page/chapters", "#/new/{first}", _chapters),
    State("page/compare", "#/thread/both", _compared),
    State("page/trace", "api/traces/{trace}", _proof),
    State("page/export", "", _exported),
    State("page/report", "{report}", _report),
    State("page/item", "{report}", _item),
)
