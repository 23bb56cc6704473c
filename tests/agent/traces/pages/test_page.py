"""The page of a trace: what stands on it, and what must not."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from helpers.data.hostile_trace import SCRIPT, VIDEO, write_hostile_trace
from helpers.data.recorded import COST, EVENTFUL, LISTEN, PRICE, PRICES, forked, lines_of, recorded, rewritten
from helpers.servers.openai_server import says

from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.pages.page import MAX_TEXT, address_from, page_of, script
from longtake.agent.traces.pages.page_videos import STILL_BYTES
from longtake.agent.traces.trace import RecordedTrace, Trace
from longtake.memory.library import LibraryStore
from longtake.preprocess.pipeline.workspace import Workspace


class Elements(HTMLParser):
    """The elements of a page, and the text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] not in ("script", "style"):
            self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def held(page: str) -> Any:
    """The data that the page's script reads."""
    (data,) = re.findall(r'<script type="application/json" id="run">(.*?)</script>', page, re.DOTALL)
    return json.loads(data)


@pytest.fixture(scope="module")
def run(small_workspace: Workspace) -> LenientRun:
    return recorded(small_workspace, *EVENTFUL)


@pytest.fixture(scope="module")
def page(run: LenientRun, small_workspace: Workspace) -> str:
    return page_of(run.trace, small_workspace.library)


def test_a_page_needs_nothing_but_itself(page: str) -> None:
    elements = Elements(page)
    assert elements.of("link") == []
    assert [each for _, each in elements.found if "src" in each or "href" in each] == [
        {"class": "skip", "href": "#main"}
    ]
    assert [each.get("type") for each in elements.of("script")] == ["application/json", "module"]
    assert "import " not in script()
    assert not re.search(r"^export ", script(), re.MULTILINE)


def test_a_page_tells_the_question_the_answer_its_proof_and_the_cost(page: str) -> None:
    text = Elements(page).text
    for words in (
        COST,
        "The blue kettle costs 249 dollars [00:00:04].",
        "Found by the search before the first call",
        "5 rounds · 5 tool calls · 700 tokens in, 140 out · 0.00252 cost",
    ):
        assert words in text
    assert {"class": "verdict supported"} in Elements(page).of("span")


def test_a_page_tells_what_its_run_was_forked_from(page: str, run: LenientRun, small_workspace: Workspace) -> None:
    fork = forked(small_workspace, run, "transcribe_speech", timestamp=[0, 2])
    assert fork.forked_from is not None
    text = Elements(page_of(fork.trace, small_workspace.library)).text
    assert f"Forked from {run.id} at step {fork.forked_from.step}, with timestamp=[0, 2]" in text
    assert "Forked" not in Elements(page).text


def test_every_step_stands_on_the_page_with_what_it_was_given_and_gave(page: str, run: LenientRun) -> None:
    elements = Elements(page)
    steps = [each["id"] or "" for each in elements.of("li") if "id" in each]
    assert sorted(steps) == sorted(f"step-{event.step}" for event in run.events[1:])
    for words in (
        '"tool": "transcribe_speach"',
        "tool 'transcribe_speach' taken for 'transcribe_speech'",
        '"timestamp": [3, 7]',
        "bad_arguments: There is no tool 'nonsense'.",
        '"transcript": "The blue kettle costs 249 dollars."',
        "You answer questions about a video",
        "Napoleon bought it.",
        "cached",
    ):
        assert words in elements.text
    assert elements.text.count("You answer questions about a video") == 1


def test_the_timeline_has_the_lanes_of_the_video_and_the_seconds_of_every_call(page: str) -> None:
    data = held(page)
    (video,) = data["videos"]
    lanes = {lane["name"]: lane["items"] for lane in video["lanes"]}
    assert [item["text"] for item in lanes["speech"]] == [
        "Welcome to the workshop.",
        "The blue kettle costs 249 dollars.",
    ]
    assert len(lanes["shots"]) == 2
    assert [(call["tool"], call["spans"]) for call in data["calls"]] == [
        ("cross_modal_search", [[video["id"], 0.0, 8.0]]),
        *[("transcribe_speech", [[video["id"], 3.0, 7.0]])] * 2,
        ("nonsense", []),
        ("transcribe_speech", [[video["id"], 3.0, 7.0]]),
    ]


def test_a_local_video_is_played_from_where_the_page_is_told_it_lies(
    run: LenientRun, small_workspace: Workspace
) -> None:
    library, video = small_workspace.library, Path(small_workspace.library.resolve("talk.mp4").path)
    reported = [
        held(page_of(run.trace, library, *address))["videos"][0]["file"]
        for address in ((), (address_from(video.parent.parent),), (address_from(video.parent / "pages"),), (str,))
    ]
    assert reported[:3] == [video.as_uri(), f"{video.parent.name}/talk.mp4", video.as_uri()]
    assert held(page_of(run.trace, library, lambda each: None))["videos"][0]["playable"] is False


def test_stills_stand_for_a_video_whose_file_is_gone(tmp_path: Path) -> None:
    trace, library = write_hostile_trace(tmp_path)
    (video,) = held(page_of(trace, library))["videos"]
    assert (video["playable"], video["file"]) == (False, None)
    assert [still["at"] for still in video["stills"]][:2] == [2.0, 0.0]
    assert {still["at"] for still in video["stills"]} == {float(second) for second in range(10)}
    assert all(still["url"].startswith("data:image/jpeg;base64,/9j/") for still in video["stills"])


def test_stills_end_where_there_is_no_more_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace, library = write_hostile_trace(tmp_path)
    whole = held(page_of(trace, library))["videos"][0]["stills"]
    room = 3 * len(whole[0]["url"]) * 3 // 4
    monkeypatch.setattr("longtake.agent.traces.pages.page_videos.STILL_BYTES", room)
    kept = held(page_of(trace, library))["videos"][0]["stills"]
    assert kept == whole[: len(kept)]
    assert 1 <= len(kept) <= 3
    assert room < STILL_BYTES


def test_without_its_library_a_run_still_has_its_steps_and_their_seconds(run: LenientRun) -> None:
    page = page_of(run.trace, None)
    (video,) = held(page)["videos"]
    assert (video["name"], video["duration"], video["lanes"], video["stills"]) == ("talk.mp4", 8.0, [], [])
    assert len(held(page)["calls"]) == 5
    assert "talk.mp4 isn't in the library" in Elements(page).text


def test_what_a_video_or_a_model_says_is_text(tmp_path: Path) -> None:
    trace, library = write_hostile_trace(tmp_path)
    page = page_of(trace, library)
    elements = Elements(page)
    assert [each.get("type") for each in elements.of("script")] == ["application/json", "module"]
    assert elements.of("img") == [{"alt": ""}]
    assert not [name for _, each in elements.found for name in each if name.startswith("on")]
    assert elements.text.count("<img src=x") > 10
    assert held(page)["videos"][0]["lanes"][1]["items"][0]["text"] == SCRIPT
    assert held(page)["videos"][0]["id"] == VIDEO


def test_the_policy_of_a_page_allows_its_own_script_alone(page: str) -> None:
    (policy,) = [each["content"] for each in Elements(page).of("meta") if each.get("http-equiv")]
    assert policy is not None
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'sha256-[\w+/]{43}='(;|$)", policy)


@pytest.mark.parametrize("key", ["sk-never-shown-0123456789", "sk-very&secret<key>\"0123'"])
def test_no_key_and_no_password_stands_on_a_page(
    small_workspace: Workspace, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("KETTLE_KEY", key)
    settings = (*PRICES, "controller.api_key_env=KETTLE_KEY")
    script = (says(f"I use {key} at http://me:hunter22@host/v1.", LISTEN), says(PRICE))
    read = recorded(small_workspace, *script, settings=settings, question=f"What does {key} cost?")
    page = page_of(read.trace, small_workspace.library)
    assert "I use *** at http://***@host/v1." in page
    assert key not in unescape(page)
    assert key not in json.dumps(held(page), ensure_ascii=False).replace('\\"', '"')
    assert "hunter22" not in page


def test_a_text_of_any_length_is_shown_up_to_a_bound(small_workspace: Workspace) -> None:
    long = recorded(small_workspace, says("x" * (MAX_TEXT + 1_000), LISTEN), says(PRICE))
    page = page_of(long.trace, small_workspace.library)
    assert "x" * MAX_TEXT + "… and 1,000 more characters in the trace" in page


def test_a_torn_trace_says_so_and_the_rest_is_shown(run: LenientRun, tmp_path: Path) -> None:
    lines = lines_of(run)
    torn = rewritten(run, tmp_path, [*lines[:5], lines[5][:30]])
    elements = Elements(page_of(torn.trace, None))
    assert "is cut off" in elements.text
    assert "Unfinished" in elements.text
    assert sorted(each["id"] or "" for each in elements.of("li") if "id" in each) == [f"step-{n}" for n in range(1, 5)]


def test_a_trace_of_which_nothing_is_left_is_still_a_page(run: LenientRun, tmp_path: Path) -> None:
    empty = rewritten(run, tmp_path, [])
    shutil.rmtree(empty.trace.root / "blobs")
    assert "Unreadable question" in Elements(page_of(empty.trace, None)).text


@pytest.mark.parametrize("video", ["../../secret", "/etc", "0123456789abcdeF", ""])
def test_only_an_id_of_a_video_reaches_the_disk(tmp_path: Path, video: str) -> None:
    library = LibraryStore(tmp_path / "library")
    trace = Trace(library.trace_root)
    trace.event("run", started=0.0, given={"question": "Where?", "videos": [video]})
    trace.close()
    page = page_of(RecordedTrace(library.trace_root, trace.run), library)
    assert held(page)["videos"] == []
    assert "isn't in this version's format, and isn't shown." in Elements(page).text
