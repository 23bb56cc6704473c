"""Takes the pictures of every page and every state of it, wide and on a phone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from longtake.agent.graph.agent import Agent
from longtake.benchmarks.browser import new_page, served, wait_until
from longtake.benchmarks.pictures import PHONE, Picture, play_proof, save, settle
from longtake.console import Session
from longtake.exports.clip_export import write_clip
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.demo.make import copy_voice
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace

DESKTOP = {"width": 1440, "height": 900}
LIGHT = ((DESKTOP, "light", ""), (PHONE, "light", "-phone"))
DARK = ((DESKTOP, "dark", "-dark"), (PHONE, "dark", "-dark-phone"))
_SPINNING = 2000  # milliseconds for which a player shows that it loads
SUMMARY = "Summarise the video."
PRICE = "What is the price of the telescope cover?"
_PARTS = {"dome.mp4": TimeSpan(start=76.0, end=90.0), "telescope.mp4": TimeSpan(start=25.5, end=50.0)}


class State(NamedTuple):
    """What a picture shows: its name, its address (from that of the server), and what is done there first."""

    name: str
    at: str
    reach: Callable[[Any], None]
    looks: tuple[tuple[dict[str, int], str, str], ...] = LIGHT  # size, colours, and the ending of the name


def tour(session: Session, chromium: Any, workspace: Workspace, demo: Path, report: Path, out: Path) -> list[Picture]:
    """Add a second video to the library of the demo video, ask about both, and take the pictures.

    Args:
        session: its settings count.
        chromium: the browser.
        workspace: the library.
        demo: the demo video, which lies in it.
        report: the page of an evaluation.
        out: where the folder `page` is made.
    """
    (out / "page").mkdir(exist_ok=True)
    folder = _folder(demo)
    first = workspace.add(demo).video.id
    second = workspace.add(folder / "telescope.mp4").video.id
    agent = Agent(workspace)
    summary = agent.ask([first], SUMMARY, thread="summary")  # calls tools
    agent.ask([first], PRICE, thread="price")
    agent.ask([first], "Who built the telescope?", thread="builder")
    agent.ask([first, second], PRICE, thread="both")
    agent.close()
    places = {"first": first, "trace": summary.trace or "", "report": report.as_uri()}
    pictures: list[Picture] = []
    for library, options, states in (
        (folder.parent / "empty", ["--token", "only-for-a-picture"], LOCKED),
        (folder.parent / "empty", [], EMPTY),
        (workspace.library.root, ["--folder", str(folder)], STATES),
    ):
        with served(session, library, *options) as url:
            for state in states:
                pictures += _pictures(chromium, url, state, places, out)
    return pictures


def _folder(demo: Path) -> Path:
    """A folder of videos, as someone may have one: parts of the demo video, and its speech in a folder of its own."""
    folder = demo.parent / "Videos"
    (folder / "Recordings").mkdir(parents=True)
    copy_voice(folder / "Recordings")
    for name, span in _PARTS.items():
        write_clip(demo, probe(demo), span, folder / name)
    return folder


def _pictures(chromium: Any, url: str, state: State, places: Mapping[str, str], out: Path) -> list[Picture]:
    taken: list[Picture] = []
    for size, scheme, ending in state.looks:
        with new_page(chromium, viewport=size, color_scheme=scheme, reduced_motion="reduce") as page:
            page.goto(urljoin(url, state.at.format(**places)))
            state.reach(page)
            taken.append(save(page, out, f"page/{state.name}{ending}.png"))
    return taken


def _library(page: Any) -> None:
    page.locator("li.card").nth(1).wait_for()


def _chooser(page: Any) -> None:
    _library(page)
    page.get_by_role("button", name="From a folder").click()
    page.locator("#chooser-list li").first.wait_for()


def _chosen(page: Any) -> None:
    _library(page)
    page.locator("li.card summary").first.click()
    page.get_by_role("checkbox", name="Select").first.check()
    page.get_by_role("checkbox", name="Select").nth(1).check()


def _settings(page: Any) -> None:
    _dialog(page, "Settings")


def _tools(page: Any) -> None:
    _dialog(page, "Settings")
    page.get_by_text("Tools while answering", exact=True).click()
    page.evaluate("document.querySelector('#settings details[open]').scrollIntoView()")


def _shortcuts(page: Any) -> None:
    _dialog(page, "Keyboard shortcuts")


def _dialog(page: Any, name: str) -> None:
    _library(page)
    if page.get_by_role("button", name="Menu").is_visible():
        page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name=name).click()
    page.get_by_role("dialog", name=name).wait_for()


def _overview(page: Any) -> None:
    page.get_by_role("region", name="Overview").wait_for()
    _drawn(page)
    _centre(page, "#overview")
    page.evaluate("scrollBy(0, -60)")  # on a phone, the player would cover the title


def _answered(page: Any) -> None:
    page.locator(".answer").wait_for()
    _drawn(page)
    play_proof(page)


def _transcript(page: Any) -> None:
    _answered(page)
    _play_line(page, 5)


def _chapters(page: Any) -> None:
    _overview(page)
    page.get_by_role("button", name="Chapters").click()
    _play_line(page, 1)


def _screen(page: Any) -> None:
    _overview(page)
    settle(page)
    page.get_by_role("button", name="On screen").click()
    page.locator("#words [aria-current]").wait_for()
    _centre(page, "#words")


def _details(page: Any) -> None:
    _answered(page)
    page.get_by_text("Details", exact=True).click()
    _centre(page, ".details")


def _play_line(page: Any, number: int) -> None:
    page.locator("#words .lines li button").nth(number).click()
    settle(page)
    _centre(page, "#words")


def _centre(page: Any, part: str) -> None:
    page.evaluate(f"document.querySelector('{part}').scrollIntoView({{ block: 'center' }})")
    page.wait_for_timeout(_SPINNING)


def _compared(page: Any) -> None:
    page.get_by_role("button", name="Compare").click()
    settle(page, "#compare video")
    page.wait_for_timeout(_SPINNING)


def _drawn(page: Any) -> None:
    wait_until(page, "document.querySelector('.lane.speech path[d^=M]')")


def _report(page: Any) -> None:
    page.locator("details.item").first.wait_for()


def _item(page: Any) -> None:
    _report(page)
    page.locator("details.item > summary").nth(1).click()
    page.locator("details.item[open] figure").first.wait_for()
    page.evaluate("document.querySelector('details.item[open]').scrollIntoView()")


def _exported(page: Any) -> None:
    """The exported chat is a download; here, the page shows what it holds."""
    exported = page.request.get(urljoin(page.url, "api/threads/price/export?format=html")).text()
    page.goto("about:blank")
    page.set_content(exported)
    page.evaluate("Object.assign(document.querySelector('video'), { muted: true, currentTime: 2 }).play()")
    settle(page)
    page.wait_for_timeout(_SPINNING)


LOCKED = (State("token", "", lambda page: page.get_by_role("dialog").wait_for()),)
EMPTY = (State("empty", "", lambda page: page.get_by_text("No videos yet").wait_for()),)
STATES = (
    State("library", "", _library),
    State("chosen", "", _chosen),
    State("folder", "", _chooser),
    State("settings", "", _settings),
    State("tools", "", _tools),
    State("shortcuts", "", _shortcuts),
    State("overview", "#/new/{first}", _overview),
    State("answer", "#/thread/price", _answered, (*LIGHT, *DARK)),
    State("details", "#/thread/price", _details),
    State("unsure", "#/thread/builder", _answered),
    State("transcript", "#/thread/price", _transcript),
    State("screen", "#/new/{first}?t=28", _screen),
    State("chapters", "#/new/{first}", _chapters),
    State("compare", "#/thread/both", _compared),
    State("trace", "api/traces/{trace}", play_proof),
    State("export", "", _exported),
    State("report", "{report}", _report),
    State("item", "{report}", _item),
)
