"""What `longtake search` shows: results grouped by video, events, and what found them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.full_disk import NO_BYTECODE
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.cli.search import result_lines, result_row
from longtake.memory.library import VideoRecord
from longtake.memory.records import Modality, Moment
from longtake.memory.search.search_types import Batch, Hit, Match, Signal
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.index_sync import key_of
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

ON_A_FULL_DISK = """
import resource
from longtake.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
main()
"""
TALK, WALK = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"


def document(video: str, start: float, end: float, text: str, modality: Modality = "speech") -> Moment:
    span = TimeSpan(start=start, end=end)
    return Moment(video=video, span=span, modality=modality, text=text, engine="engine", layer="layer")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two videos: one speaks of a kettle twice and shows it, one once."""
    workspace = Workspace(tmp_path_factory.mktemp("library"), Settings())
    held = {
        TALK: [
            document(TALK, 12, 16, "The copper kettle costs forty dollars"),
            document(TALK, 10, 20, "Copper kettle", "scene_text"),
            document(TALK, 300, 304, "Put the kettle back on the shelf beside the other things"),
        ],
        WALK: [document(WALK, 50, 54, "Somebody hung a copper lantern and one kettle near the gate")],
    }
    for video, documents in held.items():
        name = "talk.mp4" if video == TALK else "walk.mp4"
        workspace.library.save(
            VideoRecord(id=video, name=name, path=f"/x/{name}", size=9, modified=1, duration=600, indexed=key_of({}))
        )
        embedding = workspace.engines.load("text_embedding")
        vectors = embedding.embed([document.text for document in documents])
        workspace.index.replace(video, [Batch(embedding.id, documents, vectors)])
    return workspace.library.root


def run(library: Path, *arguments: str) -> str:
    command = ["--library", str(library), "search", *arguments]
    return CliRunner().invoke(app, command, catch_exceptions=False).stdout


def results(library: Path, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(library, *arguments, "--json"))["results"]
    return found


def test_results_of_several_videos_stand_under_their_video(library: Path) -> None:
    assert run(library, "copper kettle") == (
        "talk.mp4\n"
        "  00:00:10-00:00:20  on-screen text  Copper kettle\n"
        "    00:00:12-00:00:16  speech          The copper kettle costs forty dollars\n"
        "  00:05:00-00:05:04  speech          Put the kettle back on the shelf beside the other things\n"
        "walk.mp4\n"
        "  00:00:50-00:00:54  speech          Somebody hung a copper lantern and one kettle near the gate\n"
    )


def test_the_video_with_the_best_result_comes_first(library: Path) -> None:
    headings = [line for line in run(library, "copper lantern").splitlines() if not line.startswith(" ")]
    assert headings == ["walk.mp4", "talk.mp4"]


def test_results_of_one_video_are_a_flat_list(library: Path) -> None:
    assert run(library, "walk", "kettle") == (
        "walk.mp4  00:00:50-00:00:54  speech          Somebody hung a copper lantern and one kettle near the gate\n"
    )


def test_what_does_not_fit_is_shown_as_weak_after_what_does(library: Path) -> None:
    asked = "Who plays the violin near the lantern?"
    shown = results(library, asked, "-k", "4")
    assert (shown[0]["weak"], shown[0]["text"]) == (
        False,
        "Somebody hung a copper lantern and one kettle near the gate",
    )
    assert [row["weak"] for row in shown] == sorted(row["weak"] for row in shown)
    assert [line.endswith("  (weak)") for line in run(library, "walk", "orchestra").splitlines()] == [True]
    assert len(results(library, "orchestra", "-k", "3")) == 3


def test_json_gives_the_best_document_the_event_and_what_was_merged(library: Path) -> None:
    best, *_ = results(library, "talk", "copper kettle")
    fields = {"video", "start", "end", "modality", "text", "score", "signals", "terms", "weak", "event", "also"}
    assert set(best) == fields
    assert (best["video"], best["start"], best["text"]) == (TALK, 10, "Copper kettle")
    assert best["event"] == {"start": 10, "end": 20}
    [merged] = best["also"]
    assert set(merged) == fields - {"video", "weak", "event", "also"}
    assert merged["text"] == "The copper kettle costs forty dollars"


def fused(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The signals that make the score; a reranker only changes the order."""
    return [signal for name, signal in found["signals"].items() if name != "reranked"]


def test_what_the_signals_add_is_the_score(library: Path) -> None:
    found = [each for best in results(library, "copper kettle") for each in (best, *best["also"])]
    assert {name for each in found for name in each["signals"]} > {"words"}
    for each in found:
        assert each["score"] == pytest.approx(sum(signal["adds"] for signal in fused(each)), abs=2e-5)
        assert each["signals"]["words"]["score"] > 0
    assert found[0]["terms"] == ["copper", "kettle", "copper_kettle"]
    assert found[-1]["terms"] == ["copper", "kettle"] or found[-1]["terms"] == ["kettle"]


def test_explain_says_what_found_each_document_and_what_was_merged(library: Path) -> None:
    said = run(library, "talk", "copper kettle", "--explain", "-k", "1")
    assert "  event 00:00:10-00:00:20, merged from 2; the best of those that joined:\n" in said
    assert "  00:00:12-00:00:16  speech          The copper kettle costs forty dollars\n" in said
    assert re.search(r"rank 1 +BM25 \d\.\d\d: copper, kettle, copper_kettle$", said, re.MULTILINE)
    assert re.search(r"rank 1 +cosine [01]\.\d\d in (minilm|wordllama)", said)
    assert re.search(r"^    speech +1 found  rank 2 +BM25 \d\.\d\d$", said, re.MULTILINE)
    [score] = [float(number) for number in re.findall(r"score (0\.\d{5})$", said, re.MULTILINE)]
    parts = [float(number) for number in re.findall(r"^ +(0\.\d{5})  rank", said, re.MULTILINE)]
    assert sum(parts) == pytest.approx(score, abs=5e-5)


def test_explain_groups_what_joined_an_event_by_modality_and_signal_and_json_lists_it_all() -> None:
    def heard(n: int, modality: Modality, **signals: Signal) -> Match:
        return Match(document(TALK, n, n + 0.4, "tone, beep", modality), 0.01, signals)

    space = "wordllama-0.4.0.post1-l2_supercat_256"
    also = [heard(n, "audio", **{"words": Signal(n + 2, 2 - n / 9), space: Signal(9 - n, n / 9)}) for n in range(8)]
    also.append(heard(8, "visual", **{space: Signal(12, 0.41)}))
    best = heard(9, "audio", words=Signal(1, 3.0))
    hit = Hit(best.moment, best.score, best.signals, TimeSpan(start=0, end=9.4), tuple(also))
    lines = result_lines(hit, "beep", 60)
    assert lines[0].startswith("00:00:09.0-00:00:09.4  audio")
    assert lines[-4:] == [
        "  event 00:00:00-00:00:09, merged from 10; the best of those that joined:",
        "    audio             8 found  rank 2   BM25 2.00",
        f"    audio             8 found  rank 2   cosine 0.78 in {space}",
        f"    visual            1 found  rank 12  cosine 0.41 in {space}",
    ]
    assert max(map(len, lines)) <= 98  # two more before them where they stand under a video's name
    row = result_row(hit, "beep", 60)
    assert [set(match["signals"]) for match in row["also"]] == [{"words", space}] * 8 + [{space}]


def test_what_has_no_text_is_shown_as_a_picture(library: Path) -> None:
    pictures = [Match(document(TALK, n, n + 1, "", "visual"), 0.01, {"space": Signal(n + 1, 0.3)}) for n in range(3)]
    best = pictures[0]
    hit = Hit(best.moment, best.score, best.signals, TimeSpan(start=0, end=3), tuple(pictures[1:]))
    assert result_lines(hit, "a dog", None) == ["00:00:00-00:00:01  visual          (picture)"]
    assert len(result_lines(hit, "a dog", 60)) == 5


@pytest.mark.slow
def test_a_search_needs_no_room_on_the_disk(library: Path) -> None:
    def held() -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in (library / "index").rglob("*.sqlite")}

    before = held()
    command = [sys.executable, "-c", ON_A_FULL_DISK, "--library", str(library), "search", "copper kettle"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | NO_BYTECODE)
    assert (done.returncode, "The copper kettle costs" in done.stdout) == (0, True), done.stderr
    assert held() == before
    assert before
