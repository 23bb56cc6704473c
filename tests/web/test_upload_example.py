"""The example of the page about the API that uploads a file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import wave
from pathlib import Path

import pytest
from helpers.servers.web_server import WebServer, web_server

from longtake.config import load
from longtake.memory.library import file_id
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.uploads import CHUNK, MAX_UPLOADS

SERVING = Path(__file__).resolve().parents[2] / "docs" / "serving.md"


START, LOOP = re.findall(r"```bash\n((?:field|while).*?)```", SERVING.read_text(encoding="utf-8"), re.DOTALL)
pytestmark = pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")


def bash(folder: Path, script: str, server: WebServer) -> subprocess.CompletedProcess[str]:
    known = os.environ | {"JSON": "Content-Type: application/json", "SERVER": server.url.rstrip("/")}
    command = ["bash", "-c", script]
    return subprocess.run(command, cwd=folder, env=known, check=True, capture_output=True, text=True, timeout=60)


def test_it_continues_after_the_chunk_that_arrived(tmp_path: Path) -> None:
    file = tmp_path / "talk.mp4"
    with wave.open(str(file), "wb") as sound:
        sound.setparams((1, 2, 16_000, 0, "NONE", ""))
        sound.writeframes(bytes(CHUNK + 200_000))
    first = 'head -c 50000 talk.mp4 | curl -sS -X PATCH $UPLOAD -H "Upload-Offset: 0" --data-binary @-'
    with web_server(Workspace(tmp_path / "library", load())) as server, server.client() as client:
        done = bash(tmp_path, f"{START}\n{first}\n{LOOP}\necho; echo $UPLOAD", server)
        chunks, upload = done.stdout.splitlines()
        assert client.get(upload).json()["video"] == file_id(file)
    assert f'"offset":{CHUNK + 50_000}' in chunks  # what had arrived wasn't sent again
    assert done.stderr == ""


def test_it_shows_why_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "talk.mp4").write_bytes(b"no video at all")
    with web_server(Workspace(tmp_path / "library", load())) as server:
        done = bash(tmp_path, f"{START}\n{LOOP}", server)
    assert "talk.mp4 isn't a video" in done.stdout


def test_it_shows_why_an_upload_is_not_begun(tmp_path: Path) -> None:
    (tmp_path / "talk.mp4").write_bytes(b"no video at all")
    with web_server(Workspace(tmp_path / "library", load())) as server, server.client() as client:
        for _ in range(MAX_UPLOADS):
            client.post("/api/uploads", json={"name": "other.mp4", "size": 9})
        done = bash(tmp_path, f"{START}\n{LOOP}\necho $UPLOAD", server)
    assert f"{MAX_UPLOADS} uploads are unfinished" in done.stderr
    assert "null" not in done.stdout
