"""What a capable model said in the loop, played by hand and replayed: nothing that was right is lost on the way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from longtake.benchmarks.clips.examples import read_lines
from longtake.benchmarks.loop.cassette import Player, Question
from longtake.benchmarks.loop.table import Row, run_loop
from longtake.evalharness.scripted.questions import WORDINGS, Wording, Wordings, read_wordings
from longtake.evalharness.scripted.suite import write_suite
from longtake.preprocess.pipeline.workspace import Workspace

CASSETTES = Path(__file__).parent / "cassettes"
SEED, FIRST_MESSAGE = 5, 4_000  # of the scripted video; tokens at most


def replayed(name: str, library: Path, videos: Path) -> dict[str, Row]:
    table = run_loop(library, read_lines(CASSETTES / name, Question), Player(), videos, lambda text: None)
    return {row.id: row for row in table.rows}


def assert_nothing_is_lost(rows: dict[str, Row]) -> None:
    assert {name: row.answer for name, row in rows.items() if row.outcome in ("lost", "part lost", "wrong")} == {}
    assert sum(row.moved for row in rows.values()) == 0
    assert max(row.first_tokens for row in rows.values()) <= FIRST_MESSAGE


def test_what_it_said_of_the_demo_is_published(demo_workspace: Workspace, demo_video: Path) -> None:
    rows = replayed("demo.jsonl", demo_workspace.library.root, demo_video.parent)
    assert_nothing_is_lost(rows)
    assert rows["budget"].outcome == "abstained"
    # It insisted on a statement that nothing shows.
    assert rows["price"].answer.endswith("[not shown]")
    assert rows["price"].answer.count("[not shown]") == 1
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert rows["price"].answer in " ".join(readme.split())


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="the scripted video needs espeak-ng")
@pytest.mark.nightly
def test_what_it_said_of_a_scripted_video_is_published(tmp_path: Path) -> None:
    wordings: dict[Wording, Wordings] = {wording: read_wordings(wording) for wording in WORDINGS}
    write_suite(tmp_path, range(1), SEED, wordings, notify=lambda text: None)
    rows = replayed("scripted.jsonl", tmp_path / "library", tmp_path)
    assert_nothing_is_lost(rows)
    assert rows["builder"].outcome == "abstained"
