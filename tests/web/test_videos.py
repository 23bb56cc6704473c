"""The library over HTTP: what it holds, files in ranges, pictures, lanes, and its end."""

from __future__ import annotations

import os
import shutil
from io import BytesIO
from pathlib import Path

import cv2
import httpx
import numpy as np
import numpy.typing as npt
import pytest
from helpers.media.small_video import SHOWN, write_small_video
from helpers.media.speech import write_spoken
from helpers.servers.web_server import web_server
from PIL import Image

from longtake.config import load
from longtake.memory.library import LAYERS, file_id
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.pipeline import video_record
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.folders import MAX_FILES

NONE = "0123456789abcdef"


@pytest.fixture
def data(small_workspace: Workspace) -> bytes:
    return (small_workspace.library.root / "talk.mp4").read_bytes()


def test_a_video_is_shown_with_what_is_known_of_it(client: httpx.Client, video: str, data: bytes) -> None:
    shown = client.get(f"/api/videos/{video}").json()
    assert client.get("/api/videos").json() == {"videos": [shown]}
    reported = {
        name: shown[name] for name in ("id", "name", "duration", "width", "height", "bytes", "complete", "playable")
    }
    assert reported == {
        "id": video,
        "name": "talk.mp4",
        "duration": 8.0,
        "width": 640,
        "height": 360,
        "bytes": len(data),
        "complete": True,
        "playable": True,
    }
    assert {layer["name"]: layer["share"] for layer in shown["layers"]}["scene_text"] == 1.0
    assert (shown["progress"], shown["problems"]) == (None, {})


@pytest.mark.parametrize("video_id", [NONE, "..", "%2e%2e", "..%2Fvideos", "talk.mp4", "%00", "", "../../etc/passwd"])
@pytest.mark.parametrize("what", ["", "/file", "/lanes", "/still?at=0", "/thumbnail", "/progress"])
def test_only_an_id_reaches_a_video(client: httpx.Client, video_id: str, what: str) -> None:
    if video_id or what:
        assert client.get(f"/api/videos/{video_id}{what}").status_code == 404


def test_no_other_record_is_read(empty: Workspace, tone: Path) -> None:
    planted = empty.library.root / "videos" / "other" / "video.json"
    planted.parent.mkdir(parents=True)
    record = video_record(tone, tone.stat(), file_id(tone), empty.library, probe(tone))
    planted.write_text(record.model_dump_json())
    with web_server(empty) as server, server.client() as client:
        assert client.get("/api/videos/other").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/page/..%2Fapp.py",
        "/page/%2e%2e/app.py",
        "/page//etc/passwd",
        "/page/app.py",
        "/page/__init__.py",
        "//etc/passwd",
    ],
)
def test_no_path_of_a_request_reaches_the_disk(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "not_found")


def test_a_file_comes_whole_with_its_type(client: httpx.Client, video: str, data: bytes) -> None:
    answer = client.get(f"/api/videos/{video}/file")
    assert (answer.status_code, answer.content) == (200, data)
    assert (answer.headers["Content-Type"], answer.headers["Accept-Ranges"]) == ("video/mp4", "bytes")


@pytest.mark.parametrize(
    ("wanted", "start", "end"),
    [("bytes=0-", 0, None), ("bytes=0-0", 0, 1), ("bytes=1000-1999", 1_000, 2_000), ("bytes=50000-", 50_000, None)],
)
def test_a_range_of_a_file(
    client: httpx.Client, video: str, data: bytes, wanted: str, start: int, end: int | None
) -> None:
    answer = client.get(f"/api/videos/{video}/file", headers={"Range": wanted})
    assert (answer.status_code, answer.content) == (206, data[start:end])
    assert answer.headers["Content-Range"] == f"bytes {start}-{(end or len(data)) - 1}/{len(data)}"


def test_the_last_bytes_of_a_file(client: httpx.Client, video: str, data: bytes) -> None:
    answer = client.get(f"/api/videos/{video}/file", headers={"Range": "bytes=-500"})
    assert (answer.status_code, answer.content) == (206, data[-500:])
    assert answer.headers["Content-Range"] == f"bytes {len(data) - 500}-{len(data) - 1}/{len(data)}"


def test_a_range_beyond_a_file_is_refused_with_its_length(client: httpx.Client, video: str, data: bytes) -> None:
    answer = client.get(f"/api/videos/{video}/file", headers={"Range": f"bytes={len(data)}-"})
    assert (answer.status_code, answer.headers["Content-Range"]) == (416, f"bytes */{len(data)}")


def picture(answer: httpx.Response) -> npt.NDArray[np.uint8]:
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/jpeg")
    return np.asarray(cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def test_a_still_shows_what_is_on_the_screen_then(client: httpx.Client, video: str) -> None:
    blue, red = (picture(client.get(f"/api/videos/{video}/still?at={at}&width=200")) for at in (3.9, 4.1))
    assert blue.shape == red.shape == (112, 200, 3)
    assert blue[10, 10, 0] > blue[10, 10, 2] + 30
    assert red[10, 10, 2] > red[10, 10, 0] + 100
    assert picture(client.get(f"/api/videos/{video}/still?at=99999")).shape[1] == 640, "the last one"


def test_a_still_that_the_browser_holds_is_not_sent_again(client: httpx.Client, video: str) -> None:
    first = client.get(f"/api/videos/{video}/still?at=1")
    again = client.get(f"/api/videos/{video}/still?at=1", headers={"If-None-Match": first.headers["ETag"]})
    other = client.get(f"/api/videos/{video}/still?at=2", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content, other.status_code) == (304, b"", 200)


@pytest.mark.parametrize("query", ["at=-1", "at=nan", "at=x", "at=1&width=641", "at=1&width=0", "width=100"])
def test_a_still_of_no_time_or_size_is_refused(client: httpx.Client, video: str, query: str) -> None:
    answer = client.get(f"/api/videos/{video}/still?{query}")
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request")


def test_the_thumbnail_is_small(client: httpx.Client, video: str) -> None:
    assert picture(client.get(f"/api/videos/{video}/thumbnail")).shape == (180, 320, 3)


def test_the_lanes_hold_what_the_layers_do(client: httpx.Client, video: str) -> None:
    lanes = {lane["name"]: lane["items"] for lane in client.get(f"/api/videos/{video}/lanes").json()["lanes"]}
    assert list(lanes) == ["shots", "speech", "scene_text", "sounds", "moments"]
    assert lanes["shots"] == [{"start": 0.0, "end": 4.0, "text": "start"}, {"start": 4.0, "end": 8.0, "text": "cut"}]
    assert [item["text"] for item in lanes["speech"]] == [
        "Welcome to the workshop.",
        "The blue kettle costs 249 dollars.",
    ]
    assert lanes["scene_text"][0]["text"] == SHOWN
    assert "tone" in lanes["sounds"][0]["text"]


@pytest.fixture
def folder(tmp_path: Path, tone: Path) -> Path:
    """A folder with `inside.wav`, a text, a link to a file outside of it and a hidden file; `outside.wav` beside it."""
    allowed = tmp_path / "allowed"
    (allowed / "deeper").mkdir(parents=True)
    shutil.copy(tone, tmp_path / "outside.wav")
    shutil.copy(tone, allowed / "deeper" / "inside.wav")
    shutil.copy(tone, allowed / ".hidden.wav")
    (allowed / "note.txt").write_text("no media")
    (allowed / "link.wav").symlink_to(tmp_path / "outside.wav")
    (allowed / "elsewhere").symlink_to(tmp_path)
    return allowed


@pytest.fixture
def empty(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "library", load())


def indexed(client: httpx.Client, video: str) -> None:
    with client.stream("GET", f"/api/videos/{video}/progress") as events:
        assert '"state":"done"' in list(events.iter_lines())[-2]


def test_a_file_of_an_allowed_folder_is_added_where_it_lies(empty: Workspace, folder: Path) -> None:
    inside = folder / "deeper" / "inside.wav"
    with web_server(empty, folders=[folder]) as server, server.client() as client:
        (found,) = client.get("/api/folders").json()["files"]
        status = inside.stat()
        assert found == {
            "path": str(inside),
            "name": "inside.wav",
            "folder": f"{folder.name}/deeper",
            "bytes": status.st_size,
            "changed": status.st_mtime,
            "video": None,
            "problem": None,
        }
        answer = client.post("/api/videos", json={"path": found["path"]})
        assert (answer.status_code, answer.json()["id"], answer.json()["name"]) == (202, file_id(inside), "inside.wav")
        indexed(client, answer.json()["id"])
        assert client.get("/api/folders").json()["files"][0]["video"] == file_id(inside)
        assert client.delete(f"/api/videos/{file_id(inside)}").status_code == 204
    assert inside.is_file()


def test_a_transcript_of_no_video_of_a_folder_can_be_added(empty: Workspace, folder: Path) -> None:
    cue = "1\n00:00:01,000 --> 00:00:04,000\nThe ferry leaves at nine.\n"
    for name in ("deeper/inside.en.srt", "deeper/Subs/2_English.srt", "deeper/minutes.srt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(cue)
    (folder / "talk.txt").write_text("0:01 Ann: The ferry leaves at nine.\n0:05 Bob: I have the tickets.\n")
    with web_server(empty, folders=[folder]) as server, server.client() as client:
        paths = {file["name"]: file["path"] for file in client.get("/api/folders").json()["files"]}
        assert list(paths) == ["inside.wav", "minutes.srt", "talk.txt"]
        video = client.post("/api/videos", json={"path": paths["talk.txt"]}).json()
        indexed(client, video["id"])
        assert video["transcript"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "{folder}/../outside.wav",
        "{folder}/link.wav",
        "{folder}/elsewhere/outside.wav",
        "{folder}/.hidden.wav",
        "{folder}/note.txt",
        "{folder}",
        "deeper/inside.wav",
        "file://{folder}/deeper/inside.wav",
        "~",
        "\x00",
        "{folder}/\x00.wav",
        "{folder}/" + "x" * 300 + ".wav",
    ],
)
def test_no_other_path_is(empty: Workspace, folder: Path, path: str) -> None:
    with web_server(empty, folders=[folder]) as server, server.client() as client:
        answer = client.post("/api/videos", json={"path": path.format(folder=folder)})
        assert (answer.status_code, answer.json()["error"]["type"]) == (403, "forbidden")


@pytest.mark.slow
def test_a_file_beyond_a_list_that_was_cut_is_added_too(empty: Workspace, tmp_path: Path, tone: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(MAX_FILES):
        (folder / f"{number}.wav").touch()
    last = folder / "last.wav"
    shutil.copy(tone, last)
    with web_server(empty, folders=[folder]) as server, server.client() as client:
        listed = client.get("/api/folders").json()
        assert (len(listed["files"]), listed["cut"]) == (MAX_FILES, True)
        assert str(last) not in [file["path"] for file in listed["files"]]
        assert client.post("/api/videos", json={"path": str(last)}).status_code == 202


def test_a_name_that_is_not_utf8_is_listed_with_what_to_do(empty: Workspace, tmp_path: Path, tone: Path) -> None:
    folder = tmp_path / "media"
    folder.mkdir()
    shutil.copy(tone, folder / "good.wav")
    shutil.copy(tone, os.fsdecode(os.fsencode(folder) + b"/caf\xe9.wav"))
    with web_server(empty, folders=[folder]) as server, server.client() as client:
        listed = client.get("/api/folders").json()["files"]
        assert {file["name"]: file["problem"] for file in listed} == {
            "good.wav": None,
            "caf?.wav": "the name caf?.wav isn't UTF-8. Rename it",
        }
        assert client.post("/api/videos", json={"path": str(folder / "good.wav")}).status_code == 202


def test_without_a_folder_nothing_is_allowed(client: httpx.Client, small_workspace: Workspace) -> None:
    assert client.get("/api/folders").json() == {"files": [], "cut": False}
    here = str(small_workspace.library.root / "talk.mp4")
    assert client.post("/api/videos", json={"path": here}).status_code == 403


def test_a_deleted_video_is_found_nowhere(empty: Workspace, tone: Path) -> None:
    data = tone.read_bytes()
    with web_server(empty) as server, server.client() as client:
        upload = client.post("/api/uploads", json={"name": "talk.wav", "size": len(data)}).json()["id"]
        video = client.patch(f"/api/uploads/{upload}", content=data, headers={"Upload-Offset": "0"}).json()["video"]
        indexed(client, video)
        assert empty.index.holds(video)
        assert client.delete(f"/api/videos/{video}").status_code == 204
        assert client.get("/api/videos").json() == {"videos": []}
        for what in ("", "/file", "/progress"):
            assert client.get(f"/api/videos/{video}{what}").status_code == 404
        assert client.delete(f"/api/videos/{video}").status_code == 404
    assert not empty.index.holds(video)
    assert not list((empty.library.root / "uploads").rglob("*.wav"))


def test_a_video_whose_file_is_gone_is_still_looked_at(tmp_path: Path, own_workspace: Workspace) -> None:
    record = own_workspace.library.resolve("talk.mp4")
    own_workspace.library.save(record.model_copy(update={"path": str(tmp_path / "gone.mp4")}))
    with web_server(own_workspace) as server, server.client() as client:
        shown = client.get(f"/api/videos/{record.id}").json()
        assert (shown["playable"], shown["width"]) == (False, 640)
        gone = client.get(f"/api/videos/{record.id}/file")
        assert (gone.status_code, gone.json()["error"]["type"]) == (404, "not_found")
        assert client.get(f"/api/videos/{record.id}/still?at=1").status_code == 200


def test_a_damaged_layer_of_one_video_is_no_fault_of_the_list(own_workspace: Workspace) -> None:
    video = own_workspace.library.resolve("talk.mp4")
    for items in own_workspace.library.layers(video.id).root.glob("*/*/items.jsonl"):
        items.write_text("{broken\n", encoding="utf-8")
    with web_server(own_workspace) as server, server.client() as client:
        assert [(each["id"], each["width"]) for each in client.get("/api/videos").json()["videos"]] == [(video.id, 640)]
        lanes = client.get(f"/api/videos/{video.id}/lanes")
        assert lanes.status_code == 400
        assert "`longtake index " in lanes.json()["error"]["message"]


def test_a_layer_that_cannot_be_read_at_all_is_a_problem_of_its_video(own_workspace: Workspace) -> None:
    video = own_workspace.library.resolve("talk.mp4")
    (facts,) = own_workspace.library.layers(video.id).root.glob("sounds/*/layer.json")
    facts.write_text("{broken\n", encoding="utf-8")
    with web_server(own_workspace) as server, server.client() as client:
        (reported,) = client.get("/api/videos").json()["videos"]
    assert list(reported["problems"]) == ["sounds"]
    named = [layer["name"] for layer in reported["layers"]]
    assert "sounds" not in named
    assert "subtitles" in named


def test_what_is_missing_of_a_file_is_named_once(own_workspace: Workspace) -> None:
    video = own_workspace.library.resolve("talk.mp4")
    store, missing = own_workspace.library.layers(video.id), "the picture between 2.0 s and 4.0 s is missing"
    for name in ("shots", "keyframes"):
        store.record_run(name, video.layers[name], {"left_out": [missing]})
    with web_server(own_workspace) as server, server.client() as client:
        (shown,) = client.get("/api/videos").json()["videos"]
    assert shown["left_out"] == [missing]


def test_before_it_is_indexed_a_video_is_shown_played_and_looked_at(empty: Workspace, tmp_path: Path) -> None:
    file = write_small_video(tmp_path / "talk.mp4")
    record = video_record(file, file.stat(), file_id(file), empty.library, probe(file))
    with web_server(empty) as server, server.client() as client:
        empty.library.save(record)
        shown = client.get(f"/api/videos/{record.id}").json()
        assert (shown["width"], shown["playable"], shown["complete"], shown["layers"]) == (640, True, False, [])
        blue, red = (picture(client.get(f"/api/videos/{record.id}/still?at={at}&width=100")) for at in (3.9, 4.1))
        assert blue[10, 10, 0] > blue[10, 10, 2] + 30
        assert red[10, 10, 2] > red[10, 10, 0] + 100
        lanes = client.get(f"/api/videos/{record.id}/lanes").json()["lanes"]
        assert [lane["items"] for lane in lanes] == [[]] * 5
        (event,) = client.get(f"/api/videos/{record.id}/progress").text.split("\n\n")[:-1]
        assert '"state":"failed"' in event, "nobody is at it"


def test_sound_without_a_picture_has_no_still(empty: Workspace, tone: Path) -> None:
    empty.add(tone)
    with web_server(empty) as server, server.client() as client:
        shown = client.get(f"/api/videos/{file_id(tone)}").json()
        assert (shown["width"], shown["playable"]) == (None, True)
        assert client.get(f"/api/videos/{file_id(tone)}/thumbnail").status_code == 404
        assert client.get(f"/api/videos/{file_id(tone)}/file").headers["Content-Type"] == "audio/wav"


def test_every_layer_has_its_place(client: httpx.Client, video: str) -> None:
    shown = client.get(f"/api/videos/{video}").json()
    names = [layer["name"] for layer in shown["layers"]]
    assert names == [name for name in LAYERS if name in names]


def test_the_api_describes_itself(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/api/videos", "/api/uploads/{upload_id}", "/v1/models", "/v1/chat/completions"} <= set(paths)
    for operation in (operation for item in paths.values() for operation in item.values()):
        assert {"4XX", "5XX"} <= set(operation["responses"])
        assert "422" not in operation["responses"], "a wrong request is 400"
        assert "security" not in operation
    assert client.get("/docs").status_code == 404, "its page would come from another server"


def test_the_page_and_its_modules_come_with_their_types_and_are_kept(client: httpx.Client) -> None:
    page, module = client.get("/"), client.get("/page/api.js")
    assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert (module.status_code, module.headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    again = client.get("/page/api.js", headers={"If-None-Match": module.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.nightly
def test_a_video_is_indexed_again_with_the_engines_of_now(empty: Workspace, tmp_path: Path) -> None:
    deaf = Workspace(empty.library.root, load(overrides=["engines.speech=[]"]))
    deaf.add(write_spoken(tmp_path / "spoken.wav"))
    with web_server(deaf) as server, server.client() as client:
        (before,) = client.get("/api/videos").json()["videos"]
        assert "speech" in before["problems"]
    with web_server(empty) as server, server.client() as client:
        (offered,) = client.get("/api/videos").json()["videos"]
        assert offered["problems"]["speech"] != before["problems"]["speech"]
        assert client.post(f"/api/videos/{before['id']}/index").status_code == 202
        with client.stream("GET", f"/api/videos/{before['id']}/progress", timeout=60) as events:
            assert '"state":"done"' in "".join(events.iter_text())
        (after,) = client.get("/api/videos").json()["videos"]
    assert "speech" not in after["problems"]
    added = {layer["name"] for layer in after["layers"]} - {layer["name"] for layer in before["layers"]}
    assert added == {"speech", "entities"}


def test_a_file_that_may_be_added_has_a_picture_and_no_other_file_does(empty: Workspace, folder: Path) -> None:
    clip = write_small_video(folder / "clip.mp4")
    (folder / "broken.mp4").write_bytes(b"no video")
    with web_server(empty, folders=[folder]) as server, server.client() as client:

        def picture(path: Path, **headers: str) -> httpx.Response:
            return client.get("/api/folders/thumbnail", params={"path": str(path)}, headers=headers)

        found = picture(clip)
        assert Image.open(BytesIO(found.content)).width == 320
        assert picture(clip, **{"If-None-Match": found.headers["etag"]}).status_code == 304
        assert picture(folder / "deeper" / "inside.wav").status_code == 404
        assert picture(folder / "broken.mp4").status_code == 400
        for refused in (folder / "link.wav", folder / "note.txt", folder.parent / "outside.wav", Path("/etc/passwd")):
            assert picture(refused).status_code == 403
