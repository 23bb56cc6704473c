"""What the README and the pages in docs show is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from helpers.command import longtake

from longtake.cli.main import COMMANDS
from longtake.memory.records import Answer, Usage
from longtake.preprocess.engines.text.minilm import MODEL
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
LINKED = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
TEXTS = [page.read_text(encoding="utf-8") for page in PAGES]
COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
BLOCKS = [block for text in TEXTS for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)]
# What differs from run to run.
VARYING = re.compile(r"(?<=id )[0-9a-f]{16}|(?<=-)\d+(\.\w+)+| +\d+\.\d s|\d{8}-\d{6}-[0-9a-f]{8}")
# The weights that tell voices apart come in no extra: what is shown is the same with and without them.
WITHOUT_SPEAKERS = ("--set", "engines.speakers=[]")
WITH_WEIGHTS = pytest.mark.skipif(bool(MODEL.missing(Settings())), reason="what is shown needs the extra `weights`")


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


def test_the_fields_of_ask_are_those_of_the_answer() -> None:
    described = COMMANDS_PAGE.split("- `ask`:")[1].split("- `index`")[0]
    fields = set(re.findall(r"`(\w+)`", described))
    assert fields == set(Answer.model_fields)
    assert all(field in described for field in Usage.model_fields)
