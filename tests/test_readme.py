"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from longtake.cli import COMMANDS
from longtake.memory.records import Answer, Usage
from longtake.preprocess.workspace import Workspace

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
# What differs from run to run.
VARYING = re.compile(r"(?<=id )[0-9a-f]{16}|(?<=-)\d+(\.\w+)+| +\d+\.\d s|\d{8}-\d{6}-[0-9a-f]{8}")


def shown() -> list[tuple[str, str]]:
    """The questions about the demo video, each with the output that the README shows."""
    blocks = (block.split("\n", 1) for block in BLOCKS if re.match(r"\$ longtake (ask|search) demo\.mp4", block))
    return [(command.removeprefix("$ "), output) for command, output in blocks]


@pytest.mark.parametrize(("command", "output"), shown(), ids=lambda text: text.split("\n")[0])
def test_the_output_shown_is_the_output_printed(command: str, output: str, demo_workspace: Workspace) -> None:
    arguments = ["--library", str(demo_workspace.library.root), *shlex.split(command)[1:]]
    done = subprocess.run([sys.executable, "-m", "longtake", *arguments], capture_output=True, text=True, check=True)
    assert VARYING.sub("*", done.stdout) == VARYING.sub("*", output)


def test_at_least_an_answer_an_abstention_and_a_search_are_shown() -> None:
    assert len(shown()) >= 3


def test_indexing_looks_as_shown(demo_video: Path, tmp_path: Path) -> None:
    (block,) = (block for block in BLOCKS if block.startswith("$ longtake index demo.mp4"))
    command = [sys.executable, "-m", "longtake", "--library", str(tmp_path), "index", str(demo_video)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert VARYING.sub("*", done.stdout) == VARYING.sub("*", block.split("\n", 1)[1])


def test_the_table_of_commands_is_the_table_of_the_program() -> None:
    named = re.findall(r"^\| `(\w+)", README, re.MULTILINE)
    assert named == list(COMMANDS)


def test_the_fields_of_ask_are_those_of_the_answer() -> None:
    described = README.split("- `ask`:")[1].split("- `index`")[0]
    fields = set(re.findall(r"`(\w+)`", described))
    assert fields == set(Answer.model_fields)
    assert all(field in described for field in Usage.model_fields)


def test_every_folder_is_named() -> None:
    root = Path(__file__).resolve().parent.parent
    folders = {init.parent.name for init in root.glob("*/__init__.py")} | {"tests"}
    assert all(f"{folder}/" in README for folder in folders)
