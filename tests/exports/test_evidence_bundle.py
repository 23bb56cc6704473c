"""Evidence packs."""

from __future__ import annotations

import shutil
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from helpers.doubted import doubted
from helpers.media.small_video import write_small_video
from PIL import Image

from longtake.agent.graph.agent import Agent
from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.exports.evidence_bundle import write_pack
from longtake.memory.conversations import Exchange
from longtake.memory.records import Answer, Citation
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace

COST = "What does the blue kettle cost?"


@pytest.fixture
def exchange(small_workspace: Workspace) -> Exchange:
    return Exchange(number=0, asked=0.0, answer=Agent(small_workspace).ask(["talk.mp4"], COST))


def _packed(exchange: Exchange, workspace: Workspace, folder: Path) -> Path:
    write_pack(folder / "pack.zip", exchange, workspace.library)
    with ZipFile(folder / "pack.zip") as pack:
        pack.extractall(folder / "pack")
    return folder / "pack"


def test_a_pack_proves_the_answer_without_the_video(
    exchange: Exchange, small_workspace: Workspace, tmp_path: Path
) -> None:
    pack = _packed(exchange, small_workspace, tmp_path)
    assert Answer.model_validate_json((pack / "answer.json").read_bytes()) == exchange.answer
    clip = probe(pack / "places/01.mp4")
    assert clip.duration == pytest.approx(4.0, abs=0.3)  # cited from 4 to 6 s, and a second on either side
    still = np.asarray(Image.open(pack / "places/01.jpg"))
    assert still[10, 10, 0] > 150  # red from 4 s on
    assert (pack / "places/01.srt").read_text(encoding="utf-8") == (
        "1\n00:00:01,000 --> 00:00:03,000\nThe blue kettle costs 249 dollars.\n"
    )
    reported = (pack / "answer.md").read_text(encoding="utf-8")
    assert reported.startswith(f"# {COST}\n\n")
    assert "talk.mp4, 00:00:03-00:00:07: [still](places/01.jpg), [clip](places/01.mp4), " in reported
    assert "   - 00:00:04-00:00:06 speech: “The blue kettle costs 249 dollars.”" in reported
    assert "## Missing" not in reported


def test_a_pack_says_what_is_doubted_why_and_what_is_against_it(small_workspace: Workspace, tmp_path: Path) -> None:
    [video] = small_workspace.library.videos()
    exchange = Exchange(number=0, asked=0.0, answer=doubted(video.id))
    reported = (_packed(exchange, small_workspace, tmp_path) / "answer.md").read_text(encoding="utf-8")
    assert "Option B: 249 dollars (not proven)" in reported
    assert (
        "- contradicted: The red one costs 249. (It is the blue one)\n"
        "  - against it, 00:00:04-00:00:06: “The blue kettle costs 249 dollars.”\n"
        "- not shown: It is big. (No size is told)\n"
        "- not checked: Hm."
    ) in reported


def test_a_pack_holds_the_whole_trace(exchange: Exchange, small_workspace: Workspace, tmp_path: Path) -> None:
    packed = RecordedTrace(_packed(exchange, small_workspace, tmp_path), "trace")
    recorded = RecordedTrace(small_workspace.library.trace_root, exchange.answer.trace or "")
    assert list(packed.events()) == list(recorded.events())
    blobs = [event[side] for event in packed.events() for side in ("input", "output") if event[side]]
    assert len(blobs) > 5
    assert [packed.blob(digest) for digest in blobs] == [recorded.blob(digest) for digest in blobs]


def test_a_pack_holds_the_trace_as_a_page_that_names_no_path(
    exchange: Exchange, small_workspace: Workspace, tmp_path: Path
) -> None:
    page = (_packed(exchange, small_workspace, tmp_path) / "trace.html").read_text(encoding="utf-8")
    assert f"<h1>{COST}</h1>" in page
    assert "data:image/jpeg;base64," in page
    assert str(small_workspace.library.root) not in page


def test_what_is_no_longer_there_is_said(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    video = write_small_video(tmp_path / "talk.mp4")
    workspace.add(video)
    made = Agent(workspace).ask(["talk.mp4"], COST)
    video.unlink()
    shutil.rmtree(workspace.library.trace_root)
    pack = _packed(Exchange(number=0, asked=0.0, answer=made), workspace, tmp_path)
    assert sorted(file.name for file in pack.rglob("*") if file.is_file()) == ["01.srt", "answer.json", "answer.md"]
    reported = (pack / "answer.md").read_text(encoding="utf-8")
    assert "00:00:03-00:00:07: [subtitles](places/01.srt)\n" in reported
    missing = reported.partition("## Missing")[2]
    assert "The file of talk.mp4 has been moved or changed" in missing
    assert "There is no trace" in missing


def test_another_film_under_the_same_name_proves_nothing(tmp_path: Path, tone: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    video = write_small_video(tmp_path / "talk.mp4")
    workspace.add(video)
    made = Agent(workspace).ask(["talk.mp4"], COST)
    shutil.copy(tone, video)
    pack = _packed(Exchange(number=0, asked=0.0, answer=made), workspace, tmp_path)
    assert [file.name for file in (pack / "places").iterdir()] == ["01.srt"]
    missing = (pack / "answer.md").read_text(encoding="utf-8").partition("## Missing")[2]
    assert "The file of talk.mp4 has been moved or changed since it was indexed." in missing


def test_an_answer_without_places_is_packed_as_well(small_workspace: Workspace, tmp_path: Path) -> None:
    made = Answer(question="Who painted the ceiling?", status="abstained", answer="Nobody says.")
    pack = _packed(Exchange(number=0, asked=0.0, answer=made), small_workspace, tmp_path)
    assert not (pack / "places").exists()
    assert "# Who painted the ceiling?\n\nNobody says." in (pack / "answer.md").read_text()


def test_places_that_touch_are_one(small_workspace: Workspace, tmp_path: Path) -> None:
    video = small_workspace.library.resolve("talk.mp4").id

    def cited(start: float) -> Citation:
        return Citation(video=video, start=start, end=start, modality="speech", quote="x")

    def files(*starts: float) -> list[str]:
        made = Answer(question="?", status="answered", answer="", citations=tuple(map(cited, starts)))
        folder = tmp_path / str(len(starts))
        folder.mkdir()
        pack = _packed(Exchange(number=0, asked=0.0, answer=made), small_workspace, folder)
        return sorted(file.name for file in (pack / "places").glob("*.mp4"))

    assert files(1.0, 2.5, 6.5) == ["01.mp4", "02.mp4"]


def test_what_a_video_says_is_no_markup(small_workspace: Workspace, tmp_path: Path) -> None:
    made = Answer(question="<b>[x](http://a)", status="abstained", answer="`rm`\n# *no*")
    reported = (
        _packed(Exchange(number=0, asked=0.0, answer=made), small_workspace, tmp_path) / "answer.md"
    ).read_text()
    assert reported.startswith("# \\<b\\>\\[x\\](http://a)\n\n\\`rm\\` \\# \\*no\\*\n")
