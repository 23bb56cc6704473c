"""What the README and the pages in docs show is what happens."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from helpers.command import longtake

from longtake.cli.main import COMMANDS, app
from longtake.memory.records import Answer, Usage
from longtake.preprocess.engines.text.minilm import missing_weights
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
LINKED = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
README, *_ = TEXTS = [page.read_text(encoding="utf-8") for page in PAGES]
COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
BLOCKS = [block for text in TEXTS for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)]
# What differs from run to run.
VARYING = re.compile(r"(?<=id )[0-9a-f]{16}|(?<=-)\d+(\.\w+)+| +\d+\.\d s|\d{8}-\d{6}-[0-9a-f]{8}")
# The weights that tell voices apart come in no extra: what is shown is the same with and without them.
WITHOUT_SPEAKERS = ("--set", "engines.speakers=[]")
WITH_WEIGHTS = pytest.mark.skipif(bool(missing_weights(Settings())), reason="what is shown needs the extra `weights`")


def looks_as_shown(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed, but for what varies and for lines left out at `...`."""
    pattern = re.escape(VARYING.sub("*", shown)).replace(re.escape("  ...\n"), r"(?:.*\n)+?")
    return re.fullmatch(pattern, VARYING.sub("*", printed)) is not None


def shown() -> list[tuple[str, str]]:
    """The questions about the demo video, each with the output that a page shows."""
    blocks = (block.split("\n", 1) for block in BLOCKS if re.match(r"\$ longtake (ask|search) demo\.mp4", block))
    return [(command.removeprefix("$ "), output) for command, output in blocks if output]


@WITH_WEIGHTS
@pytest.mark.parametrize(("command", "output"), shown(), ids=lambda text: text.split("\n")[0])
def test_the_output_shown_is_the_output_printed(command: str, output: str, demo_workspace: Workspace) -> None:
    done = longtake(*WITHOUT_SPEAKERS, *shlex.split(command)[1:], library=demo_workspace.library.root)
    assert looks_as_shown(output, done.stdout), done.stdout


def test_at_least_two_answers_and_a_search_are_shown() -> None:
    kinds = [command.split()[1] for command, _ in shown()]
    assert kinds.count("ask") >= 2
    assert "search" in kinds


def test_the_readme_shows_an_answer() -> None:
    assert "$ longtake ask demo.mp4" in README


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.slow
@WITH_WEIGHTS
def test_indexing_looks_as_shown(demo_video: Path, tmp_path: Path) -> None:
    (block,) = (block for block in BLOCKS if block.startswith("$ longtake index demo.mp4"))
    done = longtake(*WITHOUT_SPEAKERS, "index", demo_video, library=tmp_path)
    assert looks_as_shown(block.split("\n", 1)[1], done.stdout), done.stdout


def test_the_table_of_commands_is_the_table_of_the_program() -> None:
    named = re.findall(r"^\| `(\w+)", COMMANDS_PAGE, re.MULTILINE)
    assert named == list(COMMANDS)


def test_the_commands_without_json_are_named() -> None:
    program: Any = typer.main.get_command(app)
    context = typer.Context(program)

    def leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        for each, sub in getattr(command, "commands", {}).items():
            yield from leaves(f"{name} {each}", sub)
        if not hasattr(command, "commands"):
            yield name, command

    commands = [leaf for name in COMMANDS for leaf in leaves(name, program.resolve_command(context, [name])[1])]
    without = [name for name, command in commands if all("--json" not in param.opts for param in command.params)]
    [sentence] = re.findall(r"All commands except(.*?)take `--json`", COMMANDS_PAGE, re.DOTALL)
    assert re.findall(r"`([\w ]+)`", sentence) == without


def test_the_fields_of_ask_are_those_of_the_answer() -> None:
    described = COMMANDS_PAGE.split("- `ask`:")[1].split("- `index`")[0]
    fields = set(re.findall(r"`(\w+)`", described))
    assert fields == set(Answer.model_fields)
    assert all(field in described for field in Usage.model_fields)


def test_the_layers_of_code_are_those_that_are_enforced() -> None:
    [contract] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [block] = re.findall(r"```text\n(bench .*?)```", ARCHITECTURE, re.DOTALL)
    lines = [line for line in block.splitlines() if not line.startswith("-")]
    named = [name for line in lines for name in re.split(" {2,}", line)[0].split(", ")]
    assert [f"longtake.{name}" for name in named] == contract["layers"]


def test_every_folder_is_named() -> None:
    folders = {init.parent.name for init in ROOT.glob("*/__init__.py")} | {"tests"}
    assert all(f"{folder}/" in ARCHITECTURE for folder in folders)
