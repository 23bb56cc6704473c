"""Subtitles that are uploaded after their video."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from helpers.media.small_video import SUBTITLES, write_small_video
from helpers.servers.web_server import WebServer, web_server

from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WebServer]:
    with web_server(Workspace(tmp_path / "library", load()), folders=[tmp_path]) as server:
        yield server


@pytest.fixture
def uploaded(client: httpx.Client, tmp_path: Path) -> str:
    """The id of an uploaded video, while it is being indexed."""
    data = write_small_video(tmp_path / "talk.mp4").read_bytes()
    upload = client.post("/api/uploads", json={"name": "talk.mp4", "size": len(data)}).json()["id"]
    sent = client.patch(f"/api/uploads/{upload}", content=data, headers={"Upload-Offset": "0"})
    return str(sent.json()["video"])


def put(client: httpx.Client, video: str, name: str, text: str) -> httpx.Response:
    return client.put(f"/api/videos/{video}/subtitles", params={"name": name}, content=text.encode())


def until_indexed(client: httpx.Client, server: WebServer, video: str) -> None:
    while True:
        with client.stream("GET", f"/api/videos/{video}/progress") as events:
            list(events.iter_lines())
        job = server.service.indexing.job(video)
        if job and job.over and not job.again:
            return


@pytest.mark.parametrize("indexed", [True, False])
def test_subtitles_are_read_also_while_their_video_is_being_indexed(
    client: httpx.Client, server: WebServer, uploaded: str, indexed: bool
) -> None:
    if indexed:
        until_indexed(client, server, uploaded)
        before = client.get(f"/api/videos/{uploaded}/words").json()
        assert "subtitles" not in {before["source"], *(line["text"] for line in before["lines"])}
    assert put(client, uploaded, "talk.en.vtt", SUBTITLES).status_code == 202
    until_indexed(client, server, uploaded)
    words = client.get(f"/api/videos/{uploaded}/words").json()
    assert [line["text"] for line in words["lines"]] == [
        "Welcome to the workshop.",
        "The blue kettle costs 249 dollars.",
    ]
    assert words["source"] == "subtitles (en)"

    assert put(client, uploaded, "other name.EN.vtt", SUBTITLES.replace("249", "99")).status_code == 202
    until_indexed(client, server, uploaded)
    lines = client.get(f"/api/videos/{uploaded}/words").json()["lines"]
    assert lines[-1]["text"] == "The blue kettle costs 99 dollars."


def test_subtitles_are_not_taken_for_the_video_and_are_deleted_with_it(
    client: httpx.Client, server: WebServer, uploaded: str
) -> None:
    until_indexed(client, server, uploaded)
    for name in ("a.srt", "talk.en.vtt", "talk.de.ass"):
        text = "1\n00:00:01,000 --> 00:00:02,000\nHello.\n" if name.endswith("srt") else SUBTITLES
        put(client, uploaded, name, text)
    folder = server.service.library.root / "uploads"
    kept = sorted(file.name for file in folder.glob("*.*"))
    assert kept == [f"{uploaded}.de.ass", f"{uploaded}.en.vtt", f"{uploaded}.mp4", f"{uploaded}.srt"]
    assert server.service.uploads.file(uploaded) == folder / f"{uploaded}.mp4"
    until_indexed(client, server, uploaded)
    assert client.delete(f"/api/videos/{uploaded}").status_code == 204
    assert list(folder.glob("*.*")) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("talk.txt", SUBTITLES),
        ("talk.srt", "Nothing like subtitles."),
        ("talk.vtt", "WEBVTT\n"),
        ("../talk.vtt", SUBTITLES),
    ],
)
def test_what_are_no_subtitles_is_refused_and_changes_nothing(
    client: httpx.Client, server: WebServer, uploaded: str, name: str, text: str
) -> None:
    refused = put(client, uploaded, name, text)
    assert refused.status_code == 400
    assert refused.json()["error"]["message"]
    assert [file.suffix for file in (server.service.library.root / "uploads").glob("*.*")] == [".mp4"]


def test_nothing_is_written_beside_a_file_of_a_folder(client: httpx.Client, tmp_path: Path) -> None:
    file = write_small_video(tmp_path / "own.mp4")
    video = client.post("/api/videos", json={"path": str(file)}).json()["id"]
    refused = put(client, video, "own.srt", SUBTITLES)
    assert refused.status_code == 409
    assert "next to it" in refused.json()["error"]["message"]
    assert sorted(each.name for each in tmp_path.glob("own*")) == ["own.mp4", "own.vtt"]
