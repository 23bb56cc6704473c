"""Commands that read, on a library that can't be written."""

from __future__ import annotations

import json

import pytest
from helpers.read_only import needs_jail, run_read_only
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.preprocess.pipeline.workspace import Workspace

COSTS = "The blue kettle costs 249 dollars."
FUSED = ("tools", "call", "integrate_frames", "talk.mp4", "--args", '{"timestamp": 2}')
LOOK = ("tools", "call", "extract_scene_text", "talk.mp4", "--args", '{"timestamp": "00:00:01-00:00:02"}')
pytestmark = needs_jail


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("command", "found", "unkept"),
    [
        (("search", "kettle"), COSTS, 0),
        (("summary", "talk.mp4"), COSTS, 1),
        (("ask", "talk.mp4", "What does the blue kettle cost?"), COSTS, 1),
        (("show", "talk.mp4"), COSTS, 0),
        (FUSED, "4417", 0),
        (LOOK, "(not stored for later questions: the library can't be written)", 0),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_what_reads_works(own_workspace: Workspace, command: tuple[str, ...], found: str, unkept: int) -> None:
    done = run_read_only(own_workspace.library.root, *command)
    assert done.returncode == 0, done.stderr
    assert found in done.stdout
    assert done.stderr.count("No trace is kept") == unkept
    assert "longtake:" not in done.stderr


@pytest.mark.nightly
def test_a_file_that_is_indexed_is_asked_about_by_its_path(small_workspace: Workspace) -> None:
    [video] = small_workspace.library.videos()
    done = run_read_only(small_workspace.library.root, "ask", video.path, "What does the blue kettle cost?", "--json")
    answer = json.loads(done.stdout)
    assert (answer["status"], answer["trace"]) == ("answered", None)


@pytest.mark.nightly
def test_a_search_says_what_it_leaves_out(own_workspace: Workspace) -> None:
    root = own_workspace.library.root
    looked = CliRunner().invoke(app, ["--library", str(root), *LOOK])
    assert looked.exit_code == 0
    done = run_read_only(root, "search", "kettle")
    assert COSTS in done.stdout
    assert done.stderr == "WARNING: the search leaves out recent closer looks: the library can't be written\n"


@pytest.mark.parametrize(
    "command",
    [
        ("ask", "talk.mp4", "What does the blue kettle cost?", "--thread", "x"),
        ("chat", "talk.mp4"),
        ("index", "talk.mp4"),
    ],
    ids=lambda command: command[0],
)
def test_what_must_be_kept_is_refused_in_one_sentence(small_workspace: Workspace, command: tuple[str, ...]) -> None:
    done = run_read_only(small_workspace.library.root, *command)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith(f"longtake: {small_workspace.library.root} can't")
    assert "Read-only" in done.stderr
