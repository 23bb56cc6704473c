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
Step = Callable[[Page], None]
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
    reach: Step
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


def then(*steps: Step) -> Step:
    """Steps one after the other."""

    def reach(page: Page) -> None:
        for step in steps:
            step(page)

    return reach


def press(name: str) -> Step:
    """Click a button."""
    return lambda page: page.get_by_role("button", name=name).click()


def open_part(words: str) -> Step:
    """Click words that open a part of the page."""
    return lambda page: page.get_by_text(words, exact=True).click()


def see(part: str, place: int = 0) -> Step:
    """Wait for a part of the page, or for that many more of the kind."""
    return lambda page: page.locator(part).nth(place).wait_for()


def scroll_to(part: str, block: str = "start") -> Step:
    """Scroll a part of the page to the edge, or into the middle."""
    return lambda page: page.evaluate(f"document.querySelector('{part}').scrollIntoView({{ block: '{block}' }})")


def spin(page: Page) -> None:
    """Wait until no player shows that it loads."""
    page.wait_for_timeout(_SPINNING)


def centre(part: str) -> Step:
    """Show a part of the page in the middle."""
    return then(scroll_to(part, "center"), spin)


def dialog(name: str) -> Step:
    """Open a dialog of the library."""

    def reach(page: Page) -> None:
        LIBRARY(page)
        if page.get_by_role("button", name="Menu").is_visible():
            press("Menu")(page)
        press(name)(page)
        page.get_by_role("dialog", name=name).wait_for()

    return reach


def play_line(number: int) -> Step:
    """Play from a line of what is said or shown."""
    line = "#words .lines li button"
    return then(lambda page: page.locator(line).nth(number).click(), settle, centre("#words"))


def choose_both(page: Page) -> None:
    """Open the first video's card and select two."""
    page.locator("li.card summary").first.click()
    page.get_by_role("checkbox", name="Select").first.check()
    page.get_by_role("checkbox", name="Select").nth(1).check()


def show_export(page: Page) -> None:
    """The exported chat is a download; here, the page shows what it holds."""
    exported = page.request.get(urljoin(page.url, "api/threads/price/export?format=html")).text()
    page.goto("about:blank")
    page.set_content(exported)
    page.evaluate("Object.assign(document.querySelector('video'), { muted: true, currentTime: 2 }).play()")


def drawn(page: Page) -> None:
    """Wait for the lane of what is said."""
    wait_until(page, "document.querySelector('.lane.speech path[d^=M]')")


LIBRARY = see("li.card", 1)
# On a phone, the player would cover the title.
OVERVIEW = then(
    lambda page: page.get_by_role("region", name="Overview").wait_for(),
    drawn,
    centre("#overview"),
    lambda page: page.evaluate("scrollBy(0, -60)"),
)
PROOF = then(lambda page: page.locator(".answer .chip").first.click(), settle)  # play the first citation, and stop
ANSWERED = then(see(".answer"), drawn, PROOF)
REPORT = see("details.item")
SECOND_ITEM = then(
    REPORT,
    lambda page: page.locator("details.item > summary").nth(1).click(),
    see("details.item[open] figure"),
    scroll_to("details.item[open]"),
)
TOOLS = then(dialog("Settings"), open_part("Tools while answering"), scroll_to("#settings details[open]"))
ON_SCREEN = then(OVERVIEW, settle, press("On screen"), see("#words [aria-current]"), centre("#words"))
LOCKED = (State("page/token", "", lambda page: page.get_by_role("dialog").wait_for()),)
EMPTY = (State("page/empty", "", lambda page: page.get_by_text("No videos yet").wait_for()),)
STATES = (
    State("page", "#/thread/summary", ANSWERED, ((LAPTOP, "dark", "-dark"),)),
    State("page", "#/thread/storm", ANSWERED, ((PHONE, "light", "-phone"),)),
    State("page", "#/thread/price", ANSWERED, ((LAPTOP, "light", "-light"),)),
    State("trace", "api/traces/{trace}", PROOF, ((LAPTOP, "light", ""),)),
    State("evaluation", "{report}", REPORT, ((LAPTOP, "light", ""),)),
    State("page/library", "", LIBRARY),
    State("page/chosen", "", then(LIBRARY, choose_both)),
    State("page/folder", "", then(LIBRARY, press("From a folder"), see("#chooser-list li"))),
    State("page/settings", "", dialog("Settings")),
    State("page/tools", "", TOOLS),
    State("page/shortcuts", "", dialog("Keyboard shortcuts")),
    State("page/overview", "#/new/{first}", OVERVIEW),
    State("page/answer", "#/thread/price", ANSWERED, (*LIGHT, *DARK)),
    State("page/details", "#/thread/price", then(ANSWERED, open_part("Details"), centre(".details"))),
    State("page/unsure", "#/thread/builder", ANSWERED),
    State("page/transcript", "#/thread/price", then(ANSWERED, play_line(5))),
    State("page/screen", "#/new/{first}?t=28", ON_SCREEN),
    State("page/chapters", "#/new/{first}", then(OVERVIEW, press("Chapters"), play_line(1))),
    State("page/compare", "#/thread/both", then(press("Compare"), lambda page: settle(page, "#compare video"), spin)),
    State("page/trace", "api/traces/{trace}", PROOF),
    State("page/export", "", then(show_export, settle, spin)),
    State("page/report", "{report}", REPORT),
    State("page/item", "{report}", SECOND_ITEM),
)
