"""Answers and videos as a notebook shows them."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import opened, until
from helpers.doubted import doubted
from helpers.unsure import unsure

import longtake
from longtake.api import Answer, Video
from longtake.exports import notebook
from longtake.memory.records import Citation
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace

COST = "What does the blue kettle cost?"
EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)> & \"quoted\" 'words'"


class Parsed(HTMLParser):
    """The tags of a piece of HTML with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def pictures(self) -> list[tuple[str, str]]:
        """Tag and address of everything that plays or shows."""
        return [(tag, source) for tag, attributes in self.tags if (source := attributes.get("src"))]


@pytest.fixture
def answer(own_workspace: Workspace) -> Answer:
    return longtake.ask("talk.mp4", COST, folder=own_workspace.library.root)


def cites(answer: Answer, own_workspace: Workspace, *places: tuple[float, float], quote: str = "Kettle") -> Answer:
    """The answer with other citations, in the same video."""
    video = answer.citations[0].video
    citations = tuple(Citation(video=video, start=a, end=b, modality="speech", quote=quote) for a, b in places)
    return Answer.of(answer.model_copy(update={"citations": citations}), own_workspace.library.root)


def test_an_answer_plays_from_the_cited_second(answer: Answer, tmp_path: Path) -> None:
    shown = Parsed(answer._repr_html_())
    assert answer.answer in shown.text
    assert answer.citations[0].quote in shown.text
    [(tag, address)] = shown.pictures
    assert tag == "video"
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(b64decode(address.removeprefix("data:video/mp4;base64,")))
    media = probe(clip)
    assert media.duration == pytest.approx(3.0, abs=0.3)  # cited from 4 to 6 s, and a second more
    first = next(iter(read_frames(clip, media, TimeSpan(start=0, end=1), lambda: None)))
    assert first.bgr()[..., 2].mean() > 128  # red from 4 s on


def test_a_browser_plays_it_without_a_script(browser: Any, answer: Answer, tmp_path: Path) -> None:
    page_file = tmp_path / "page.html"
    page_file.write_text(answer._repr_html_(), encoding="utf-8")
    with opened(browser, page_file.as_uri()) as page:
        until(page, "document.querySelector('video').readyState >= 2")
        assert page.locator("details[open] video").is_visible()
        page.locator("summary").click()
        assert not page.locator("video").is_visible()


def test_what_a_video_says_is_text_and_never_markup(answer: Answer, own_workspace: Workspace) -> None:
    named = own_workspace.library.videos()[0].model_copy(update={"name": EVIL})
    own_workspace.library.save(named)
    evil = cites(answer.model_copy(update={"answer": EVIL}), own_workspace, (4, 6), quote=EVIL)
    for html in (evil._repr_html_(), Video.of(named, own_workspace.library.root)._repr_html_()):
        shown = Parsed(html)
        assert EVIL in shown.text
        assert {tag for tag, _ in shown.tags} <= {"div", "span", "details", "summary", "video", "img", "b", "code"}
        assert not any(name.startswith("on") for _, attributes in shown.tags for name in attributes)
        assert all(address.startswith("data:") for _, address in shown.pictures)


def test_a_clip_that_is_too_large_or_one_too_many_is_a_still(
    answer: Answer, own_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = cites(answer, own_workspace, (6.5, 6.6), (0, 0.2), (3, 3.2))
    monkeypatch.setattr(notebook, "MAX_CLIPS", 2)
    assert [tag for tag, _ in Parsed(several._repr_html_()).pictures] == ["video", "video", "img"]
    monkeypatch.setattr(notebook, "MAX_CLIP_BYTES", 100)
    assert [tag for tag, _ in Parsed(several._repr_html_()).pictures] == ["img", "img", "img"]


@pytest.mark.parametrize(("start", "end"), [(7.9, 8.0), (8.0, 8.0), (0.0, 0.0)])
def test_a_citation_at_either_end_of_the_video_plays(
    answer: Answer, own_workspace: Workspace, start: float, end: float
) -> None:
    [(tag, _)] = Parsed(cites(answer, own_workspace, (start, end))._repr_html_()).pictures
    assert tag == "video"


def test_a_missing_file_leaves_a_still_and_a_deleted_video_or_json_the_words(
    answer: Answer, own_workspace: Workspace
) -> None:
    [video] = own_workspace.library.videos()
    own_workspace.library.save(video.model_copy(update={"path": str(own_workspace.library.root / "gone.mp4")}))
    assert [tag for tag, _ in Parsed(answer._repr_html_()).pictures] == ["img"]
    read = longtake.Answer.model_validate_json(answer.model_dump_json())
    own_workspace.library.delete(video)
    for shown in (Parsed(answer._repr_html_()), Parsed(read._repr_html_())):
        assert shown.pictures == []
        assert answer.answer in shown.text
        assert answer.citations[0].quote in shown.text


def test_an_uncertain_answer_opens_its_closest_line(answer: Answer, own_workspace: Workspace) -> None:
    doubt = Answer.of(unsure(answer.citations[0].video, None, COST), own_workspace.library.root)
    shown = Parsed(doubt._repr_html_())
    assert "uncertain" in shown.text
    assert doubt.closest[0].text in shown.text
    opened_first = [("open" in attributes) for tag, attributes in shown.tags if tag == "details"]
    assert opened_first[0]
    assert not any(opened_first[1:])


def test_what_is_doubted_is_said_with_its_reason() -> None:
    text = " ".join(Parsed(Answer(**dict(doubted()))._repr_html_()).text.split())
    assert "Option B: 249 dollars (not proven)" in text
    assert "contradicted: The red one costs 249. (It is the blue one); against it, 00:00:04-00:00:06" in text
    assert "not shown: It is big. (No size is told)" in text


@pytest.mark.slow
def test_a_recording_has_a_player_of_sound(tmp_path: Path, tone: Path) -> None:
    with longtake.Library(tmp_path / "library") as library:
        video = library.index(tone).video
        cited = Citation(video=video.id, start=0.0, end=1.0, modality="audio", quote="a tone")
        answer = Answer(question="What is heard?", status="answered", answer="A tone.", citations=(cited,))
        shown = Parsed(Answer.of(answer, tmp_path / "library")._repr_html_())
        assert [tag for tag, _ in shown.pictures] == ["audio"]
        assert library.videos() == [video]


def test_a_video_shows_a_still_with_its_name(own_workspace: Workspace) -> None:
    with longtake.Library(own_workspace.library.root) as library:
        shown = Parsed(library.videos()[0]._repr_html_())
    assert [tag for tag, _ in shown.pictures] == ["img"]
    assert "talk.mp4" in shown.text
