"""Videos on object storage, from a real S3 server on loopback."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import fsspec
import httpx
import numpy as np
import pytest
import s3fs
from helpers.command import longtake
from helpers.layers_on_disk import in_use
from helpers.libraries import SETTINGS
from helpers.media.clips import write_clip
from helpers.servers.s3_server import BUCKET, SECRET, s3_server
from helpers.servers.web_server import web_server

from longtake.api import Library
from longtake.errors import MediaError
from longtake.memory.library import file_id
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.media_files import files_in
from longtake.preprocess.pipeline.step_run import unchanged
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.remote import RemoteFile, media_path

TALK = f"s3://{BUCKET}/folder/talk.mp4"


@pytest.fixture(scope="module")
def storage() -> Iterator[Any]:
    """A client of the server."""
    with s3_server():
        yield boto3.client("s3")


@pytest.fixture(scope="module")
def local(small_workspace: Workspace) -> Path:
    return small_workspace.library.root / "talk.mp4"


@pytest.fixture(scope="module")
def indexed(storage: Any, local: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A library in which the small video was indexed from S3, with the subtitles beside it."""
    for file in (local, local.with_suffix(".vtt")):
        storage.upload_file(str(file), BUCKET, f"folder/{file.name}")
    workspace = Workspace(tmp_path_factory.mktemp("remote"), SETTINGS)
    with Library(workspace.library.root, SETTINGS) as library:
        assert library.index(TALK).complete
    return workspace


def test_layers_are_those_of_the_local_file_byte_for_byte(indexed: Workspace, small_workspace: Workspace) -> None:
    assert in_use(indexed.library.root) == in_use(small_workspace.library.root)
    record = indexed.library.resolve(TALK)
    assert record.id == small_workspace.library.resolve("talk.mp4").id
    assert (record.path, record.name) == (TALK, "talk.mp4")
    for file in indexed.library.root.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()


def test_it_is_asked_by_its_address(indexed: Workspace) -> None:
    with Library(indexed.library.root, SETTINGS) as library:
        answer = library.ask(TALK, "What does the blue kettle cost?")
    assert answer.status == "answered"
    assert "249" in answer.answer


def test_a_storage_that_is_out_of_reach_takes_no_answer_away(
    indexed: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        s3fs.S3FileSystem.clear_instance_cache()
        with Library(indexed.library.root, SETTINGS) as library:
            answer = library.ask("talk.mp4", "What does the blue kettle cost?")
    s3fs.S3FileSystem.clear_instance_cache()
    assert answer.status == "answered"
    assert "249" in answer.answer


def test_an_unchanged_object_is_not_read_again(indexed: Workspace, fetched: list[int]) -> None:
    with Library(indexed.library.root, SETTINGS) as library:
        assert library.workspace.library.find(TALK)
    assert fetched == []


def test_the_page_plays_it_in_ranges(indexed: Workspace, local: Path) -> None:
    whole = local.read_bytes()
    with web_server(indexed) as server, server.client() as client:
        video = client.get("/api/videos").json()["videos"][0]
        assert video["playable"]
        file = f"/api/videos/{video['id']}/file"
        assert client.get(file).content == whole
        for asked, part in (("100-199", whole[100:200]), ("1000-", whole[1000:]), ("-7", whole[-7:])):
            answer = client.get(file, headers={"Range": f"bytes={asked}"})
            assert (answer.status_code, answer.content) == (206, part)
        assert client.get(file, headers={"Range": f"bytes={len(whole)}-"}).status_code == 416


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the ranges that are fetched from here on."""
    sizes: list[int] = []
    fetch = s3fs.S3File._fetch_range

    def counted(self: Any, start: int, end: int) -> Any:
        sizes.append(end - start)
        return fetch(self, start, end)

    monkeypatch.setattr(s3fs.S3File, "_fetch_range", counted)
    return sizes


def test_facts_and_a_short_look_take_a_small_part_of_the_file(storage: Any, fetched: list[int], tmp_path: Path) -> None:
    noise = np.random.default_rng(1)
    pictures = (noise.integers(0, 255, (360, 640, 3), np.uint8) for _ in range(700))
    clip = write_clip(tmp_path / "noise.mp4", pictures, codec="mjpeg", pixels="yuvj420p")
    storage.upload_file(str(clip), BUCKET, "noise.mp4")
    path = media_path(f"s3://{BUCKET}/noise.mp4")
    media = probe(path)
    assert media == probe(clip)
    assert list(read_frames(path, media, TimeSpan(start=15.0, end=15.2), lambda: None))
    assert 0 < sum(fetched) < clip.stat().st_size / 4
    assert file_id(path) == file_id(clip)


def test_a_rewritten_object_has_changed(storage: Any) -> None:
    path = media_path(f"s3://{BUCKET}/rewritten.mp4")
    storage.put_object(Bucket=BUCKET, Key="rewritten.mp4", Body=b"one")
    check = unchanged(path)
    check()
    storage.put_object(Bucket=BUCKET, Key="rewritten.mp4", Body=b"two")  # of the same size, in the same second
    with pytest.raises(Exception, match=r"rewritten\.mp4 changed"):
        check()


def test_a_folder_gives_its_files(storage: Any, indexed: Workspace) -> None:
    folder = media_path(f"s3://{BUCKET}/folder")
    assert folder.is_dir()
    storage.put_object(Bucket=BUCKET, Key="folder//nameless.mp4", Body=b"no path can name it")
    storage.put_object(Bucket=BUCKET, Key="folder/.hidden.mp4", Body=b"another program's")
    assert [str(file) for file in files_in(folder)] == [TALK, TALK.replace("mp4", "vtt")]
    assert [str(file) for file in RemoteFile(f"s3://{BUCKET}/f*/*.mp4").matching()] == [TALK]


def test_an_address_travels_to_the_workers_of_a_cluster(indexed: Workspace) -> None:
    path = pickle.loads(pickle.dumps(media_path(TALK)))
    assert str(path) == TALK
    assert path.is_file()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"s3://{BUCKET}/none.mp4", "none.mp4"),
        ("s3://no-such-bucket/talk.mp4", "no-such-bucket"),
        ("abc://there/talk.mp4", "abc://"),
        ("s3:///talk.mp4", "address"),
        (f"s3://key:{SECRET}@{BUCKET}/talk.mp4", "password"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(indexed: Workspace, address: str, said: str, tmp_path: Path) -> None:
    done = longtake("index", address, library=tmp_path)
    assert done.code != 0
    assert said in done.stderr
    assert SECRET not in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(MediaError, match=r"longtake\[gcs\]"):
        media_path("gs://talks/talk.mp4").stat()


def test_no_access_is_said(indexed: Workspace, storage: Any) -> None:
    keys = f"{storage.meta.endpoint_url}/moto-api/reset-auth"
    httpx.post(keys, content="0").raise_for_status()  # from here on the server wants keys that it knows
    try:
        with pytest.raises(MediaError, match=r"No access to .*talk\.mp4"):
            media_path(TALK).is_file()
    finally:
        httpx.post(keys, content="Infinity").raise_for_status()


@pytest.mark.slow
def test_offline_forbids_storage_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "longtake")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://storage.example")
    command = [sys.executable, "-m", "longtake", "--library", str(tmp_path), "--offline", "index", TALK]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "--offline forbids" in done.stderr
    assert SECRET not in done.stderr


def test_other_addresses_are_files_of_this_machine_and_of_other_storage(local: Path) -> None:
    assert media_path(local.as_uri()) == local
    fsspec.filesystem("memory").pipe("/talk.mp4", local.read_bytes())
    assert probe(media_path("memory://talk.mp4")) == probe(local)
    assert file_id(media_path("memory://talk.mp4")) == file_id(local)
