"""`longtake index`: what may be given, and what is shown meanwhile."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.command import Done, longtake
from helpers.servers.loopback import Handler, listening


@pytest.fixture
def folder(tone: Path, tmp_path: Path) -> Path:
    """A folder with two sounds, another in a folder inside, and files that are no media."""
    for name in ("one.wav", "two.wav", "inside/three.wav", ".hidden.wav"):
        target = tmp_path / "media" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tone, target)
    # Another content, so another video.
    for number, name in enumerate(("two.wav", "inside/three.wav"), 1):
        with (tmp_path / "media" / name).open("ab") as file:
            file.write(b"\0" * number)
    (tmp_path / "media" / "notes.txt").write_text("nothing to index")
    return tmp_path / "media"


def names(done: Done) -> list[str]:
    return [json.loads(line)["name"] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (".", ["one.wav", "two.wav", "three.wav"]),
        ("*.wav", ["one.wav", "two.wav"]),
        ("**/t*.wav", ["three.wav", "two.wav"]),
    ],
)
def test_folders_and_patterns_stand_for_their_media_files(folder: Path, given: str, found: list[str]) -> None:
    done = longtake("index", folder / given, "--json", library=folder.parent / "library")
    assert names(done) == found


@pytest.mark.parametrize("given", ["*.mp4", "empty"])
def test_a_folder_or_pattern_without_media_is_an_error(folder: Path, given: str) -> None:
    (folder / "empty").mkdir()
    done = longtake("index", folder / given, library=folder.parent / "library")
    assert done.code == 1
    assert str(folder / given) in done.stderr


@pytest.fixture
def site(tone: Path) -> Iterator[str]:
    """A server with a sound at /talk.wav."""

    class Site(Handler):
        def do_GET(self) -> None:
            data = tone.read_bytes() if self.path == "/talk.wav" else b""
            headers = {"Content-Type": "audio/wav", "Content-Length": str(len(data))}
            self.send(200 if data else 404, headers)
            self.wfile.write(data)

        def do_HEAD(self) -> None:
            self.send(200, {"Content-Type": "audio/wav"})

    with listening(Site) as url:
        yield url


def test_a_link_is_fetched_and_indexed(site: str, tmp_path: Path) -> None:
    pytest.importorskip("yt_dlp")
    done = longtake("index", f"{site}/talk.wav", "--json", library=tmp_path)
    assert done.code == 0, done.stderr
    (name,) = names(done)
    assert name.startswith("talk")
    gone = longtake("index", f"{site}/gone.wav", library=tmp_path)
    assert gone.code == 1
    assert f"{site}/gone.wav can't be fetched" in gone.stderr


def test_offline_no_link_is_fetched(site: str, tmp_path: Path) -> None:
    # In a process of its own: what --offline forbids is forbidden for the rest of it.
    command = [sys.executable, "-m", "longtake", "--library", tmp_path, "--offline", "index", f"{site}/talk.wav"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "offline" in done.stderr
