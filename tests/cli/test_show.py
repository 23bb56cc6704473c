"""Answers as the terminal prints them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from helpers.command import longtake
from helpers.doubted import doubted
from helpers.unsure import KETTLE, QUESTION, TEXT, always_unsure, unsure
from typer.testing import CliRunner

from longtake.cli.ask import EXITS, show
from longtake.cli.main import app
from longtake.memory.records import Answer, Citation, Status
from longtake.preprocess.pipeline.workspace import Workspace


def test_every_status_has_its_exit_code() -> None:
    assert set(EXITS) == set(get_args(Status))
    assert (EXITS["uncertain"], EXITS["abstained"], EXITS["answered"]) == (0, 0, 0)


def test_an_uncertain_answer_prints_its_text_its_closest_lines_and_its_status(
    small_workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    show(unsure(trace="run-1"), small_workspace)
    assert capsys.readouterr().out.splitlines() == [
        TEXT,
        f"  00:00:04-00:00:06  speech          {KETTLE}",
        "  00:00:01-00:00:03  on-screen text  Room 4417",
        "  not shown: The pot costs 249 dollars. (No pot is named)",
        "  uncertain in 0.0 s, 0 rounds, 0 tool calls, trace run-1",
    ]


def test_what_is_doubted_is_printed_with_its_reason_and_what_is_against_it(
    small_workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    show(doubted(), small_workspace)
    text, option, _, *flagged, _ = capsys.readouterr().out.splitlines()
    assert "[contradicted]" in text
    assert option == "Option B: 249 dollars (not proven)"
    assert flagged == [
        "  contradicted: The red one costs 249. (It is the blue one) [00:00:04]",
        "  not shown: It is big. (No size is told)",
    ]


def test_a_line_that_is_cited_as_well_is_printed_once(
    small_workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    cited = Citation(video="v", start=4.0, end=6.0, modality="speech", quote=KETTLE)
    show(unsure().model_copy(update={"citations": (cited,)}), small_workspace)
    assert capsys.readouterr().out.count(f"  {KETTLE}") == 1


@pytest.mark.parametrize("arguments", [["ask", "talk.mp4", QUESTION], ["chat", "talk.mp4"]])
@pytest.mark.parametrize("as_json", [False, True])
def test_ask_and_chat_are_done_when_they_are_unsure(
    small_workspace: Workspace, monkeypatch: pytest.MonkeyPatch, arguments: list[str], as_json: bool
) -> None:
    always_unsure(monkeypatch)
    command = ["--library", str(small_workspace.library.root), *arguments, *(["--json"] if as_json else [])]
    done = CliRunner().invoke(app, command, input=f"{QUESTION}\n", catch_exceptions=False)
    assert done.exit_code == 0
    if as_json:
        reported = Answer.model_validate(json.loads(done.stdout))
        assert (reported.status, reported.confidence, len(reported.closest)) == ("uncertain", 0.4, 2)
    else:
        assert done.stdout.startswith(f"{TEXT}\n  00:00:04-00:00:06  speech          {KETTLE}\n")
        assert "\n  uncertain in 0.0 s, " in done.stdout


def test_a_clip_is_named_after_the_span_and_a_span_that_ends_before_it_starts_is_told(
    small_workspace: Workspace, tmp_path: Path
) -> None:
    root, new = small_workspace.library.root, tmp_path / "new.mp4"
    done = longtake("clip", "talk.mp4", "4-2", new, "--library", root)
    assert (done.code, new.exists(), "swapped" in done.stderr) == (0, True, True)
    assert longtake("clip", "talk.mp4", "2-4", new, "--out", new, library=root).code == 1
