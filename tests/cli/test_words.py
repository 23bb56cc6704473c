"""`longtake show`, `clip` and `summary`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command import longtake

from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ((), "00:00:00  Welcome to the workshop.\n00:00:04  The blue kettle costs 249 dollars.\n"),
        (("--txt",), "Welcome to the workshop.\nThe blue kettle costs 249 dollars.\n"),
        (("--srt",), "1\n00:00:00,500 --> 00:00:02,000\nWelcome to the workshop.\n"),
        (("--vtt",), "WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nWelcome to the workshop.\n"),
        (("--screen", "--txt"), "ROOM 4417\n"),
    ],
)
def test_show_prints_what_is_said_or_shown(small_workspace: Workspace, options: tuple[str, ...], wanted: str) -> None:
    done = longtake("show", "talk.mp4", *options, library=small_workspace.library.root)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith(wanted)


def test_show_as_json_has_seconds(small_workspace: Workspace) -> None:
    done = longtake("show", "talk.mp4", "--json", library=small_workspace.library.root)
    assert [(line["start"], line["end"]) for line in json.loads(done.stdout)] == [(0.5, 2.0), (4.0, 6.0)]


def test_a_clip_has_the_length_that_was_asked_for(small_workspace: Workspace, tmp_path: Path) -> None:
    root, target = small_workspace.library.root, tmp_path / "part.mp4"
    saved = longtake("clip", "talk.mp4", "0:04-0:06", "--out", target, "--json", library=root)
    facts = json.loads(saved.stdout)
    assert (facts["start"], facts["end"], facts["file"]) == (4.0, 6.0, str(target.resolve()))
    assert probe(target).duration == pytest.approx(2, abs=0.2)
    before = target.read_bytes()
    again = longtake("clip", "talk.mp4", "0:00-0:06", "--out", target, library=root)
    assert (again.code, target.read_bytes()) == (1, before)


@pytest.mark.parametrize("span", ["0:04", "9:00-9:30", "soon"])
def test_a_clip_needs_a_part_of_the_video(small_workspace: Workspace, tmp_path: Path, span: str) -> None:
    target = tmp_path / "part.mp4"
    done = longtake("clip", "talk.mp4", span, "--out", target, library=small_workspace.library.root)
    assert (done.code, target.exists()) == (1, False)
    assert "12:30-13:00" in done.stderr


def test_a_summary_cites_its_lines(small_workspace: Workspace) -> None:
    done = longtake("summary", "talk.mp4", library=small_workspace.library.root)
    assert done.code == 0
    assert "The blue kettle costs 249 dollars." in done.stdout
    assert "00:00:04" in done.stdout
