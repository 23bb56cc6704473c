"""Uploads that nobody goes on with are swept after a day."""

from __future__ import annotations

import os
import time
from pathlib import Path

import httpx
import pytest
from helpers.servers.web_server import web_server

from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web import service, uploads
from longtake.web.uploads import KeptUpload, Upload


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "library", load())


def begin(client: httpx.Client, name: str) -> str:
    return str(client.post("/api/uploads", json={"name": name, "size": 10}).json()["id"])


def test_what_nobody_went_on_with_for_a_day_is_swept(workspace: Workspace) -> None:
    with web_server(workspace) as server, server.client() as client:
        idle, fresh = begin(client, "idle.mp4"), begin(client, "fresh.mp4")
        unfinished = workspace.library.root / "uploads" / "unfinished"
        for file in unfinished.glob(f"{idle}*"):
            os.utime(file, (1_000_000, 1_000_000))
        begin(client, "another.mp4")
        assert client.get(f"/api/uploads/{idle}").status_code == 404
        assert client.get(f"/api/uploads/{fresh}").status_code == 200


def test_it_is_swept_also_when_nobody_comes(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "SWEEP_EVERY", 0.01)
    with web_server(workspace) as server, server.client() as client:
        idle, fresh = begin(client, "idle.mp4"), begin(client, "fresh.mp4")
        unfinished = workspace.library.root / "uploads" / "unfinished"
        for file in unfinished.glob(f"{idle}*"):
            os.utime(file, (1_000_000, 1_000_000))
        deadline = time.monotonic() + 60
        while (unfinished / f"{idle}.json").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert client.get(f"/api/uploads/{fresh}").status_code == 200


def test_an_upload_that_is_long_goes_on_being_fresh(workspace: Workspace) -> None:
    held = uploads.Uploads(workspace.library.root / "uploads", workspace.library.lock)
    upload = held.begin(Upload(name="talk.mp4", size=10))
    for file in (workspace.library.root / "uploads" / "unfinished").iterdir():
        os.utime(file, (1_000_000, 1_000_000))
    held.append(upload, 0, b"abc")
    again = uploads.Uploads(workspace.library.root / "uploads", workspace.library.lock)
    assert again.get(upload) == (KeptUpload(name="talk.mp4", size=10), 3)
