"""The commands on the pages about model servers work, in their order, from nothing to an answer."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from helpers.command import longtake
from helpers.models.smollm2 import smollm2
from helpers.servers.hub_server import hub_server
from helpers.servers.openai_server import openai_server, refuses, says

from longtake.models import names
from longtake.models.catalogue import named
from longtake.preprocess.pipeline.workspace import Workspace

PAGES = sorted((Path(__file__).resolve().parent.parent / "docs").glob("with-*.md"))
SERVED = [page for page in PAGES if page.stem != "with-gguf"]
TOOL_CALL = says(None, ("jump_to", {"minute": 7}))
NO_EYES = refuses(400, "no pictures")
ANSWER = says("Roof panels cost more: + $35 per panel [00:00:40].")


def commands_of(page: Path) -> list[list[str]]:
    """The arguments of every `longtake` command, in order."""
    lines = re.findall(r"^\$ longtake (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [shlex.split(line) for line in lines]


@pytest.fixture(autouse=True)
def nothing_set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LONGTAKE_CONFIG", str(tmp_path / "config.yaml"))
    monkeypatch.setenv("LONGTAKE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")


@pytest.mark.parametrize("page", SERVED, ids=lambda page: page.stem)
def test_a_server_is_set_up_and_answers(page: Path, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    for command in commands_of(page):
        if "--run" in command:
            continue  # tests/models/test_serving.py runs it
        script = [TOOL_CALL, NO_EYES] if command[0] == "setup" else [ANSWER]
        with openai_server(script) as server:
            monkeypatch.setattr(names, "LOCAL_SERVERS", dict.fromkeys(names.LOCAL_SERVERS, server.url))
            monkeypatch.setattr(names, "OPENAI", server.url)
            if command[0] == "ask":  # the server of the page's own setup is gone
                command = ["--set", f"controller.base_url={server.url}", *command]
            if "--url" in command:
                command[command.index("--url") + 1] = server.url
            done = longtake(*command, library=demo_workspace.library.root)
            assert done.code == 0, done.stderr
            assert bool(server.requests) == ("serve" not in command)
            if "ask" in command:
                asked += 1
                assert "$35" in done.stdout
                assert "gave no answer" not in done.stdout
    assert asked


@pytest.mark.nightly
def test_a_gguf_file_is_fetched_and_answers(demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    (page,) = (page for page in PAGES if page.stem == "with-gguf")
    pull, *rest = commands_of(page)
    model = named(pull[-1])
    with hub_server(model.repo, {model.files[0]: smollm2()}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        assert longtake(*pull, library=demo_workspace.library.root).code == 0
    shown = ""
    for command in (command for command in rest if command[0] in ("setup", "ask")):
        done = longtake(*command, library=demo_workspace.library.root)
        assert done.code in (0, 3), done.stderr  # so small a model may say nothing, and then lines are quoted
        shown = done.stdout
    assert "tool calls" in shown  # whatever it says
