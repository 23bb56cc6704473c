"""`bench page`: what is measured in a real browser, and the shape of the report."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from helpers.browser import chromium
from typer.testing import CliRunner

from longtake.bench.cli import bench
from longtake.console import Session
from longtake.errors import EngineUnavailable

UNREAD = "engines.scene_text=[]"  # the question asks for nothing that is written, and reading takes longest


def test_the_report_tells_times_and_weight() -> None:
    with chromium():
        pass
    arguments = ["page", "--rounds", "1", "--json"]
    result = CliRunner().invoke(bench, arguments, obj=Session(overrides=(UNREAD,)), catch_exceptions=False)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert set(report) == {"machine", "shown", "first_answer", "files", "bytes"}
    assert report["shown"]["n"] == report["first_answer"]["ratio"]["n"] == 1
    assert report["shown"]["low"] < report["first_answer"]["seconds"]["low"]
    assert report["first_answer"]["ratio"]["low"] > 0
    page = files("longtake.web") / "page"
    sizes = [len(file.read_bytes()) for file in page.iterdir() if file.name.endswith((".html", ".css", ".js", ".svg"))]
    assert (report["files"], report["bytes"]) == (len(sizes), sum(sizes))


def test_without_a_browser_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EngineUnavailable, match="install one of chromium"):
        CliRunner().invoke(bench, ["page"], obj=Session(), catch_exceptions=False)
