"""Uploads over a real server: whole, torn, gone on with, and refused."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from helpers.full_disk import full_disk
from helpers.servers.web_server import WebServer, web_server

from longtake.config import load
from longtake.memory.library import file_id
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web import uploads
from longtake.web.http.refusals import Refusal
from longtake.web.uploads import CHUNK, LARGEST, MAX_UPLOADS, KeptUpload, Upload


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "library", load())


@pytest.fixture
def server(workspace: Workspace) -> Iterator[WebServer]:
    with web_server(workspace) as running:
        yield running


def begin(client: httpx.Client, name: str, size: int) -> str:
    answer = client.post("/api/uploads", json={"name": name, "size": size})
    assert (answer.status_code, {**answer.json(), "id": ""}) == (201, {"id": "", "offset": 0, "chunk": CHUNK})
    return str(answer.json()["id"])


def send(client: httpx.Client, upload: str, offset: int, data: bytes) -> httpx.Response:
    return client.patch(f"/api/uploads/{upload}", content=data, headers={"Upload-Offset": str(offset)})


def until_indexed(client: httpx.Client, video: str) -> None:
    with client.stream("GET", f"/api/videos/{video}/progress") as events:
        list(events.iter_lines())


def kept(workspace: Workspace) -> list[str]:
    """Every file of media below the folder of uploads, whole or not."""
    root = workspace.library.root / "uploads"
    return sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file() and file.suffix != ".json")


def test_a_file_arrives_in_chunks_and_lies_under_its_hash(server: WebServer, workspace: Workspace, tone: Path) -> None:
    data = tone.read_bytes()
    with server.client() as client:
        upload = begin(client, "a talk.wav", len(data))
        assert send(client, upload, 0, data[:50_000]).json() == {"offset": 50_000, "video": None}
        last = send(client, upload, 50_000, data[50_000:]).json()
        assert last == {"offset": len(data), "video": file_id(tone)}
        video = client.get(f"/api/videos/{last['video']}").json()
        assert (video["name"], video["bytes"], video["duration"]) == ("a talk.wav", len(data), 4.0)
        assert client.get(f"/api/videos/{last['video']}/file").content == data
    assert kept(workspace) == [f"{file_id(tone)}.wav"]


TRANSCRIPTS = {
    "meeting.txt": "0:01 Ann: The ferry leaves at nine.\n0:05 Bob: I have the tickets.\n",
    "meeting.srt": "1\n00:00:01,000 --> 00:00:04,000\nThe ferry leaves at nine.\n",
    "meeting.vtt": "WEBVTT\n\n00:01.000 --> 00:04.000\nThe ferry leaves at nine.\n",
}


@pytest.mark.parametrize("name", list(TRANSCRIPTS))
def test_a_transcript_alone_is_a_recording(server: WebServer, workspace: Workspace, name: str) -> None:
    data = TRANSCRIPTS[name].encode()
    with server.client() as client:
        video = send(client, begin(client, name, len(data)), 0, data).json()["video"]
        until_indexed(client, video)
        shown = client.get(f"/api/videos/{video}").json()
        assert (shown["name"], shown["transcript"], shown["playable"], shown["complete"]) == (name, True, False, True)
        lines = client.get(f"/api/videos/{video}/words").json()["lines"]
        assert lines[0]["text"].endswith("The ferry leaves at nine.")
        assert kept(workspace) == [f"{video}{Path(name).suffix}"]
        added = client.put(f"/api/videos/{video}/subtitles", params={"name": name}, content=data)
        assert (added.status_code, kept(workspace)) == (409, [f"{video}{Path(name).suffix}"])
        assert client.delete(f"/api/videos/{video}").status_code == 204
    assert kept(workspace) == []


@pytest.mark.slow
@pytest.mark.parametrize("names", [["talk.wav", "talk.txt"], ["talk.txt", "talk.wav"]])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_video_and_the_transcript_of_its_name_are_one_recording(
    server: WebServer, workspace: Workspace, tone: Path, names: list[str], at_once: bool
) -> None:
    said = b"0:01 Ann: The ferry leaves at nine.\n0:02 Bob: I know.\n0:03 Ann: Good.\n"
    files = {"talk.wav": tone.read_bytes(), "talk.txt": said}
    with server.client() as client:
        video = ""
        for name in names:
            video = send(client, begin(client, name, len(files[name])), 0, files[name]).json()["video"]
            if not at_once:
                until_indexed(client, video)
        assert video == file_id(tone)
        assert [each["id"] for each in client.get("/api/videos").json()["videos"]] == [video]
        assert kept(workspace) == [f"{video}.txt", f"{video}.wav"]
        while not (lines := client.get(f"/api/videos/{video}/words").json()["lines"]):
            until_indexed(client, video)
        assert [line["text"] for line in lines] == ["The ferry leaves at nine.", "I know.", "Good."]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("talk.txt", "0:01 The ferry leaves at nine.\n0:03 I know.\n"),  # names nobody
        ("talk-2.srt", TRANSCRIPTS["meeting.srt"]),
    ],
)
def test_what_would_not_be_read_beside_a_video_is_a_recording_of_its_own(
    server: WebServer, tone: Path, name: str, text: str
) -> None:
    data = tone.read_bytes()
    with server.client() as client:
        video = send(client, begin(client, "talk.wav", len(data)), 0, data).json()["video"]
        other = send(client, begin(client, name, len(text)), 0, text.encode()).json()["video"]
        assert {each["id"] for each in client.get("/api/videos").json()["videos"]} == {video, other}
        assert video != other


def test_a_transcript_that_a_chat_is_about_stays(server: WebServer, workspace: Workspace, tone: Path) -> None:
    files = {"talk.srt": TRANSCRIPTS["meeting.srt"].encode(), "talk.wav": tone.read_bytes()}
    with server.client() as client:
        for name, data in files.items():
            video = send(client, begin(client, name, len(data)), 0, data).json()["video"]
            until_indexed(client, video)
            server.service.conversations.begin("a", [video])
        assert len(client.get("/api/videos").json()["videos"]) == 2


def test_a_transcript_of_two_videos_or_of_one_in_a_folder_is_refused(workspace: Workspace, tone: Path) -> None:
    text = TRANSCRIPTS["meeting.srt"].encode()
    other = tone.with_name("meeting.wav")
    other.write_bytes(tone.read_bytes())
    with web_server(workspace, folders=[tone.parent]) as server, server.client() as client:
        client.post("/api/videos", json={"path": str(other)})
        refused = send(client, begin(client, "meeting.en.srt", len(text)), 0, text)
        assert (refused.status_code, "next to it" in refused.text) == (400, True)
        longer = tone.read_bytes() + b"\0" * 4_000
        send(client, begin(client, "meeting.wav", len(longer)), 0, longer)
        refused = send(client, begin(client, "meeting.en.srt", len(text)), 0, text)
        assert (refused.status_code, "Several" in refused.text) == (400, True)


def test_a_transcript_that_cant_be_read_is_refused_with_the_reason(server: WebServer, workspace: Workspace) -> None:
    data = b"\x7fELF\x02\x01\x01\x00" * 9
    with server.client() as client:
        refused = send(client, begin(client, "talk.srt", len(data)), 0, data)
    assert (refused.status_code, "talk.srt isn't a subtitle file" in str(refused.json())) == (400, True)
    assert kept(workspace) == []


def test_the_name_stays_when_the_video_is_indexed(server: WebServer, tone: Path) -> None:
    data = tone.read_bytes()
    with server.client() as client:
        upload = begin(client, "Monday.mp4", len(data))
        video = send(client, upload, 0, data).json()["video"]
        until_indexed(client, video)
        shown = client.get(f"/api/videos/{video}").json()
        assert (shown["name"], shown["complete"]) == ("Monday.mp4", True)


def test_an_upload_goes_on_after_its_connection_broke(server: WebServer, tone: Path) -> None:
    data = tone.read_bytes()
    with server.client() as client:
        upload = begin(client, "talk.wav", len(data))
        send(client, upload, 0, data[:50_000])
        lines = (
            f"PATCH /api/uploads/{upload} HTTP/1.1",
            f"Host: 127.0.0.1:{server.port}",
            "Upload-Offset: 50000",
            f"Content-Length: {len(data) - 50_000}",
        )
        with socket.create_connection(("127.0.0.1", server.port)) as torn:
            torn.sendall("\r\n".join((*lines, "", "")).encode() + data[50_000:60_000])
        there = client.get(f"/api/uploads/{upload}").json()
        assert there == {"name": "talk.wav", "size": len(data), "offset": 50_000, "chunk": CHUNK, "video": None}
        assert send(client, upload, 50_000, data[50_000:]).json()["video"] == file_id(tone)


def test_an_upload_goes_on_when_the_server_was_ended(workspace: Workspace, tone: Path) -> None:
    data = tone.read_bytes()
    with web_server(workspace) as server, server.client() as client:
        upload = begin(client, "talk.wav", len(data))
        send(client, upload, 0, data[:50_000])
    with web_server(workspace) as server, server.client() as client:
        assert client.get(f"/api/uploads/{upload}").json()["offset"] == 50_000
        assert send(client, upload, 50_000, data[50_000:]).json()["video"] == file_id(tone)


@pytest.mark.slow
def test_uploads_move_with_their_library(workspace: Workspace, tmp_path: Path, tone: Path) -> None:
    data, video = tone.read_bytes(), file_id(tone)
    with web_server(workspace) as server, server.client() as client:
        send(client, begin(client, "talk.wav", len(data)), 0, data)
    moved = Workspace(Path(shutil.copytree(workspace.library.root, tmp_path / "moved")), load())
    shutil.rmtree(workspace.library.root)
    with web_server(moved) as server, server.client() as client:
        assert client.get(f"/api/videos/{video}").json()["playable"]
        assert client.get(f"/api/videos/{video}/file").content == data
        until_indexed(client, video)
        assert client.delete(f"/api/videos/{video}").status_code == 204
    assert kept(moved) == []


def test_a_wrong_offset_is_answered_with_the_right_one(server: WebServer) -> None:
    with server.client() as client:
        upload = begin(client, "talk.mp4", 1_000)
        send(client, upload, 0, b"x" * 10)
        for offset in (0, 9, 11):
            answer = send(client, upload, offset, b"y")
            assert (answer.status_code, answer.json()["offset"], answer.json()["error"]["type"]) == (
                409,
                10,
                "conflict",
            )


def test_a_last_answer_that_was_lost_is_asked_for_again(server: WebServer, workspace: Workspace, tone: Path) -> None:
    data = tone.read_bytes()
    with server.client() as client:
        upload = begin(client, "talk.wav", len(data))
        for offset, rest in ((0, data), (len(data), b"")):
            assert send(client, upload, offset, rest).json() == {"offset": len(data), "video": file_id(tone)}
        shown = client.get(f"/api/uploads/{upload}").json()
        assert (shown["offset"], shown["video"]) == (len(data), file_id(tone))
        for _ in range(MAX_UPLOADS):
            begin(client, "another.wav", 10)  # what is finished is none of those under way
    assert f"{file_id(tone)}.wav" in kept(workspace)


def test_an_upload_whose_video_was_deleted_is_forgotten(server: WebServer, tone: Path) -> None:
    data = tone.read_bytes()
    with server.client() as client:
        upload = begin(client, "talk.wav", len(data))
        video = send(client, upload, 0, data).json()["video"]
        until_indexed(client, video)
        assert client.delete(f"/api/videos/{video}").status_code == 204
        assert reported(send(client, upload, len(data), b"")) == (404, "not_found")
        assert client.get(f"/api/uploads/{upload}").status_code == 404, "so that the page begins anew"
        assert send(client, begin(client, "talk.wav", len(data)), 0, data).json()["video"] == video


def test_a_whole_upload_is_finished_by_the_next_server(server: WebServer, tone: Path) -> None:
    data = tone.read_bytes()
    with server.client() as client:
        upload = begin(client, "talk.wav", len(data))
        server.service.uploads.append(upload, 0, data)  # the server went down before it could finish
        assert send(client, upload, len(data), b"").json()["video"] == file_id(tone)


def test_an_upload_is_never_missing_while_it_becomes_a_video(workspace: Workspace, tone: Path) -> None:
    held, size = uploads.Uploads(workspace.library.root / "uploads", workspace.library.lock), tone.stat().st_size
    upload = held.begin(Upload(name="talk.wav", size=size))
    held.append(upload, 0, tone.read_bytes())
    with held.finishing(upload, lambda *_: None) as arrived:
        assert held.get(upload) == (KeptUpload(name="talk.wav", size=size), size)
        assert arrived.target
        arrived.upload.rename(arrived.target)
        assert held.get(upload) == (KeptUpload(name="talk.wav", size=size, video=file_id(tone)), size)
    with pytest.raises(Refusal, match="already"), held.finishing(upload, lambda *_: None):
        pass
    assert held.get(upload)[0].video == file_id(tone)


def test_the_same_file_twice_is_one_video(server: WebServer, workspace: Workspace, tone: Path) -> None:
    data = tone.read_bytes()
    with server.client() as client:
        first, second = begin(client, "first.wav", len(data)), begin(client, "second.wav", len(data))
        videos = [send(client, upload, 0, data).json()["video"] for upload in (first, second)]
        assert videos == [file_id(tone)] * 2
        assert [video["name"] for video in client.get("/api/videos").json()["videos"]] == ["first.wav"]
    assert kept(workspace) == [f"{file_id(tone)}.wav"]


def test_copies_that_finish_at_once_all_learn_the_video(workspace: Workspace, tone: Path) -> None:
    workspace.add(tone)
    data = tone.read_bytes()

    def finish(upload: str) -> Any:
        with server.client() as client:
            return send(client, upload, 0, data).json()

    with web_server(workspace) as server, server.client() as client, ThreadPoolExecutor(MAX_UPLOADS) as threads:
        for _ in range(3):
            copies = [begin(client, "copy.wav", len(data)) for _ in range(MAX_UPLOADS)]
            assert list(threads.map(finish, copies)) == [{"offset": len(data), "video": file_id(tone)}] * MAX_UPLOADS
    assert kept(workspace) == []


def test_an_uploaded_file_goes_with_its_video_also_when_a_copy_was_indexed_since(
    server: WebServer, workspace: Workspace, tmp_path: Path, tone: Path
) -> None:
    data, copy = tone.read_bytes(), Path(shutil.copy(tone, tmp_path / "copy.wav"))
    with server.client() as client:
        video = send(client, begin(client, "talk.wav", len(data)), 0, data).json()["video"]
        until_indexed(client, video)
        assert workspace.add(copy).video.path == str(copy)
        assert client.delete(f"/api/videos/{video}").status_code == 204
    assert (kept(workspace), copy.is_file()) == ([], True)


@pytest.mark.slow
def test_a_video_that_comes_again_while_it_is_deleted_is_there(workspace: Workspace, tone: Path) -> None:
    data, video = tone.read_bytes(), file_id(tone)
    with web_server(workspace) as server, ThreadPoolExecutor(2) as beside, server.client() as client:
        send(client, begin(client, "talk.wav", len(data)), 0, data)
        until_indexed(client, video)
        upload = begin(client, "again.wav", len(data))
        with closing(sqlite3.connect(workspace.library.memory_file, isolation_level=None)) as memory:
            memory.execute("PRAGMA journal_mode = WAL")  # as the library's first writer does
            memory.execute("BEGIN IMMEDIATE")  # the deletion waits for this, half done
            deleted = beside.submit(httpx.delete, f"{server.url}/api/videos/{video}", timeout=60)
            while not deleted.done() and (workspace.library.root / "uploads" / f"{video}.wav").exists():
                time.sleep(0.01)
            sent = beside.submit(send, client, upload, 0, data)
            wait([sent], timeout=1.0)
            memory.rollback()
        assert (deleted.result().status_code, sent.result().json()["video"]) == (204, video)
        assert client.get(f"/api/videos/{video}/file").content == data
    assert kept(workspace) == [f"{video}.wav"]


def test_what_breaks_off_before_the_library_has_it_can_be_finished(
    server: WebServer, workspace: Workspace, tone: Path
) -> None:
    data, videos = tone.read_bytes(), workspace.library.root / "videos"
    videos.touch()  # where the library would write its record
    with server.client() as client:
        upload = begin(client, "talk.wav", len(data))
        refused = send(client, upload, 0, data)
        assert (reported(refused), refused.json()["offset"]) == ((500, "unavailable"), len(data))
        assert "Not a directory" in refused.text
        assert str(workspace.library.root) not in refused.text
        assert kept(workspace) == [f"unfinished/{upload}"]
        videos.unlink()
        assert send(client, upload, len(data), b"").json()["video"] == file_id(tone)
    assert kept(workspace) == [f"{file_id(tone)}.wav"]


def test_what_the_library_holds_elsewhere_is_not_kept_again(workspace: Workspace, tone: Path) -> None:
    workspace.add(tone)
    data = tone.read_bytes()
    with web_server(workspace) as server, server.client() as client:
        video = send(client, begin(client, "copy.wav", len(data)), 0, data).json()["video"]
        assert client.get(f"/api/videos/{video}").json()["name"] == tone.name
    assert kept(workspace) == []


@pytest.mark.parametrize(
    "data", [b"plain text\n" * 100, b"#EXTM3U\nfile:///etc/passwd\n", b"\xff\xd8\xff\xe0" + bytes(500)]
)
def test_what_is_no_media_is_refused_and_deleted(server: WebServer, workspace: Workspace, data: bytes) -> None:
    with server.client() as client:
        answer = send(client, begin(client, "talk.mp4", len(data)), 0, data)
        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request")
        message = answer.json()["error"]["message"]
        assert message.startswith("talk.mp4 ")
        assert str(workspace.library.root) not in message
        assert client.get("/api/videos").json() == {"videos": []}
    assert kept(workspace) == []


@pytest.mark.parametrize("name", ["../talk.mp4", "/etc/passwd", "..\\talk.mp4", "a\x00.mp4", "a\nb.mp4", "", "x" * 201])
def test_a_name_that_is_a_path_or_none_is_refused(server: WebServer, workspace: Workspace, name: str) -> None:
    with server.client() as client:
        answer = client.post("/api/uploads", json={"name": name, "size": 10})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request")
    assert kept(workspace) == []


@pytest.mark.parametrize("upload", ["..%2F..%2Flibrary", "%2e%2e", "0" * 32, "..%2Funfinished", "x", "0" * 31 + "%0A"])
def test_only_an_upload_s_own_id_reaches_it(server: WebServer, workspace: Workspace, upload: str) -> None:
    unfinished = workspace.library.root / "uploads" / "unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "x").touch()
    (unfinished / "x.json").write_text(Upload(name="no upload", size=10).model_dump_json())
    with server.client() as client:
        assert client.get(f"/api/uploads/{upload}").status_code == 404
        assert send(client, upload, 0, b"x").status_code == 404
        assert client.delete(f"/api/uploads/{upload}").status_code == 404


class Told(NamedTuple):
    status: int
    kind: str


def reported(answer: httpx.Response) -> Told:
    return Told(answer.status_code, answer.json()["error"]["type"])


def test_more_than_was_said_is_refused(server: WebServer) -> None:
    with server.client() as client:
        upload = begin(client, "talk.mp4", 10)
        send(client, upload, 0, b"x" * 4)
        refused = send(client, upload, 4, b"x" * 7)
        assert (*reported(refused), refused.json()["offset"]) == (413, "too_large", 4)
        assert client.get(f"/api/uploads/{upload}").json()["offset"] == 4
        assert send(client, upload, 4, b"x" * 5).json()["offset"] == 9, "what arrived is intact"


def test_a_chunk_has_its_size(server: WebServer) -> None:
    with server.client() as client:
        upload = begin(client, "talk.mp4", 2 * CHUNK)
        assert send(client, upload, 0, bytes(CHUNK)).json() == {"offset": CHUNK, "video": None}
        assert reported(send(client, upload, CHUNK, bytes(CHUNK + 1))) == (413, "too_large")


def test_what_no_disk_should_hold_is_refused_at_once(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with server.client() as client:
        refused = client.post("/api/uploads", json={"name": "talk.mp4", "size": LARGEST + 3 * 1000**3})
        assert (*reported(refused), "23.0 GB" in refused.text) == (413, "too_large", True)
        assert client.post("/api/uploads", json={"name": "talk.mp4", "size": 0}).status_code == 400
        room = shutil.disk_usage("/")._replace(free=600 * 1000**2)
        monkeypatch.setattr(uploads.shutil, "disk_usage", lambda path: room)
        begin(client, "first.mp4", 60 * 1000**2)
        second = client.post("/api/uploads", json={"name": "second.mp4", "size": 60 * 1000**2})
        assert (*reported(second), "Free 20.0 MB" in second.text) == (507, "unavailable", True), "what the first lacks"


def test_no_upload_begins_where_nothing_can_be_written(server: WebServer, workspace: Workspace) -> None:
    wanted, folder = {"name": "talk.mp4", "size": 10}, workspace.library.root / "uploads"
    with server.client() as client:
        with full_disk(20):
            assert reported(client.post("/api/uploads", json=wanted)) == (507, "unavailable")
        shutil.rmtree(folder)
        folder.touch()
        refused = client.post("/api/uploads", json=wanted)
        assert reported(refused) == (500, "unavailable")
        assert "Not a directory" in refused.text


def test_an_upload_goes_on_when_the_disk_has_room_again(server: WebServer, tone: Path) -> None:
    data = tone.read_bytes()
    with server.client() as client:
        upload = begin(client, "talk.wav", len(data))
        with full_disk(50_000):
            full = send(client, upload, 0, data)
        assert (*reported(full), full.json()["offset"], "0.1 MB of" in full.text) == (507, "unavailable", 50_000, True)
        assert send(client, upload, 50_000, data[50_000:]).json()["video"] == file_id(tone)


def test_too_many_at_once_are_refused_until_one_is_given_up(server: WebServer, workspace: Workspace) -> None:
    with server.client() as client:
        under_way = [begin(client, "talk.mp4", 10) for _ in range(MAX_UPLOADS)]
        assert reported(client.post("/api/uploads", json={"name": "talk.mp4", "size": 10})) == (429, "too_many")
        assert client.delete(f"/api/uploads/{under_way[0]}").status_code == 204
        begin(client, "talk.mp4", 10)
