"""What `longtake search` shows: results grouped by video, events, and what found them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from longtake.cli import app
from longtake.config import Settings
from longtake.memory.index import Batch, Document
from longtake.memory.library import VideoRecord
from longtake.memory.records import Modality
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.workspace import Workspace

TALK, WALK = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"


def document(video: str, start: float, end: float, text: str, modality: Modality = "speech") -> Document:
    span = TimeSpan(start=start, end=end)
    return Document(f"{video}:{start}:{modality}", video, span, modality, text, "engine", "layer")


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
            VideoRecord(id=video, name=name, path=f"/x/{name}", size=9, modified=1, duration=600, layers={})
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
        "  00:00:10-00:00:20  scene_text  Copper kettle\n"
        "    00:00:12-00:00:16  speech      The copper kettle costs forty dollars\n"
        "  00:05:00-00:05:04  speech      Put the kettle back on the shelf beside the other things\n"
        "walk.mp4\n"
        "  00:00:50-00:00:54  speech      Somebody hung a copper lantern and one kettle near the gate\n"
    )


def test_the_video_with_the_best_result_comes_first(library: Path) -> None:
    headings = [line for line in run(library, "copper lantern").splitlines() if not line.startswith(" ")]
    assert headings == ["walk.mp4", "talk.mp4"]


def test_results_of_one_video_are_a_flat_list(library: Path) -> None:
    assert run(library, "walk", "kettle") == (
        "walk.mp4  00:00:50-00:00:54  speech      Somebody hung a copper lantern and one kettle near the gate\n"
    )


def test_json_gives_the_best_document_the_event_and_what_was_merged(library: Path) -> None:
    best, *_ = results(library, "talk", "copper kettle")
    assert set(best) == {"video", "start", "end", "modality", "text", "score", "signals", "terms", "event", "also"}
    assert (best["video"], best["start"], best["text"]) == (TALK, 10, "Copper kettle")
    assert best["event"] == {"start": 10, "end": 20}
    [merged] = best["also"]
    assert set(merged) == set(best) - {"video", "event", "also"}
    assert merged["text"] == "The copper kettle costs forty dollars"


def test_what_the_signals_add_is_the_score(library: Path) -> None:
    found = [each for best in results(library, "copper kettle") for each in (best, *best["also"])]
    assert {name for each in found for name in each["signals"]} > {"words"}
    for each in found:
        assert each["score"] == pytest.approx(sum(signal["adds"] for signal in each["signals"].values()), abs=2e-5)
        assert each["signals"]["words"]["score"] > 0
    assert found[0]["terms"] == ["copper", "kettle", "copper_kettle"]
    assert found[-1]["terms"] == ["copper", "kettle"] or found[-1]["terms"] == ["kettle"]


def test_explain_says_what_found_each_document_and_what_was_merged(library: Path) -> None:
    said = run(library, "talk", "copper kettle", "--explain", "-k", "1")
    assert "  event 00:00:10-00:00:20, merged from 2:\n" in said
    assert re.search(r"rank 1 +BM25 \d\.\d\d: copper, kettle, copper_kettle$", said, re.MULTILINE)
    assert re.search(r"rank 1 +cosine [01]\.\d\d in wordllama", said)
    scores = [float(number) for number in re.findall(r"score (0\.\d{5})$", said, re.MULTILINE)]
    parts = [float(number) for number in re.findall(r"^ +(0\.\d{5})  rank", said, re.MULTILINE)]
    assert len(scores) == 2
    assert sum(parts) == pytest.approx(sum(scores), abs=5e-5)


def test_what_has_no_text_is_shown_as_a_picture(library: Path) -> None:
    from longtake.memory.index import Hit, Match, Signal
    from longtake.tools.search_results import result_lines

    pictures = [Match(document(TALK, n, n + 1, "", "visual"), 0.01, {"space": Signal(n + 1, 0.3)}) for n in range(3)]
    best = pictures[0]
    hit = Hit(best.document, best.score, best.signals, TimeSpan(start=0, end=3), tuple(pictures[1:]))
    assert result_lines(hit, "a dog", None) == ["00:00:00-00:00:01  visual      (picture)"]
    assert len(result_lines(hit, "a dog", 60)) == 10
