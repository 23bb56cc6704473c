"""Hostile code gets at nothing: each snippet in each sandbox that works here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.sandboxes import SANDBOXES, sandbox_or_skip
from helpers.secrets_of_a_host import Host, host_with_secrets

from longtake.preprocess.engines.sandbox import bubblewrap_guest
from longtake.preprocess.engines.sandbox.sandbox import MAX_OUTPUT, Sandbox

SNIPPETS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("hostile_snippets.yaml").read_text(encoding="utf-8")
)
HARMLESS = [snippet for snippet in SNIPPETS if snippet.get("harmless")]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with host_with_secrets(tmp_path_factory.mktemp("host")) as host:
        yield host


@pytest.fixture(scope="module", params=SANDBOXES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_or_skip(request.param)


def got_through(host: Host, stdout: str, stderr: str) -> bool:
    """Whether somebody called, or the secret was told; a traceback may quote the word that a snippet would print."""
    calls, host.calls[:] = list(host.calls), []
    return bool(calls) or host.secret in stdout + stderr or "REACHED" in stdout


@pytest.mark.slow
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet["name"])
def test_nothing_is_reached(snippet: dict[str, Any], sandbox: Sandbox, host: Host) -> None:
    endless = snippet.get("endless", False)
    code = snippet["code"] * snippet.get("times", 1)
    ran = sandbox.run(code, host.inputs, 1.0 if endless else 10.0, lambda: None)
    assert not got_through(host, ran.stdout, ran.stderr), ran
    assert host.file.read_text() == host.secret
    assert [path.name for path in host.folder.iterdir()] == ["secret.txt"]
    assert max(len(ran.stdout), len(ran.stderr)) <= MAX_OUTPUT
    if endless and sandbox.id.startswith("bubblewrap"):  # Monty has no way to try some of it
        assert ran.ended


@pytest.mark.parametrize("snippet", HARMLESS, ids=lambda snippet: snippet["name"])
def test_the_same_gets_through_outside_a_sandbox(snippet: dict[str, Any], host: Host) -> None:
    task = json.dumps({"code": snippet["code"], "inputs": host.inputs, "limits": {}})
    done = subprocess.run(
        [sys.executable, "-I", bubblewrap_guest.__file__], input=task, capture_output=True, text=True, check=False
    )
    assert got_through(host, done.stdout, done.stderr), done
