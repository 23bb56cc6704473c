"""The example of the page about the API that uploads a file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import wave
from pathlib import Path

import pytest
from helpers.servers.web_server import web_server

from longtake.config import load
from longtake.memory.library import file_id
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.uploads import CHUNK

SERVING = Path(__file__).resolve().parents[2] / "docs" / "serving.md"


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_it_continues_after_the_chunk_that_arrived(tmp_path: Path) -> None:
    [start, loop] = re.findall(r"```bash\n((?:ABOUT|while).*?)```", SERVING.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "talk.mp4"
    with wave.open(str(file), "wb") as sound:
        sound.setparams((1, 2, 16_000, 0, "NONE", ""))
        sound.writeframes(bytes(CHUNK + 200_000))

    def bash(script: str, **variables: str) -> str:
        known = os.environ | {"JSON": "Content-Type: application/json"} | variables
        command = ["bash", "-c", script]
        done = subprocess.run(command, cwd=tmp_path, env=known, check=True, capture_output=True, text=True, timeout=60)
        return done.stdout

    with web_server(Workspace(tmp_path / "library", load())) as server, server.client() as client:
        upload = bash(f"{start}\necho $UPLOAD", SERVER=server.url.rstrip("/")).strip()
        client.patch(upload, content=file.read_bytes()[:50_000], headers={"Upload-Offset": "0"})
        chunks = bash(loop, UPLOAD=upload)
        assert client.get(upload).json()["video"] == file_id(file)
    assert f'"offset":{CHUNK + 50_000}' in chunks  # what had arrived wasn't sent again
