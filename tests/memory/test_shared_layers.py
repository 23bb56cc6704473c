"""All layers on object storage, a real S3 server on loopback: what one machine builds, another one has."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest
import s3fs
from helpers.command import longtake
from helpers.layers_on_disk import in_use
from helpers.media.clips import flat, write_clip
from helpers.servers.s3_server import BUCKET, s3_server

from longtake.config import load
from longtake.errors import Cancelled, ConfigError, LibraryError, LibraryUnavailable
from longtake.preprocess.cluster.ray_steps import LayerBuilder, Task
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.progress import Watcher
from longtake.preprocess.pipeline.workspace import Workspace

ADDRESS = f"s3://{BUCKET}/layers"
SETTINGS = load(overrides=["engines.speakers=[]", f"library.layers={ADDRESS}"])


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with s3_server():
        s3fs.S3FileSystem.clear_instance_cache()  # connections to an earlier server
        yield boto3.client("s3")


@pytest.fixture
def storage(server: Any) -> Any:
    """A client of the server, whose bucket is empty."""
    for name in archives(server):
        server.delete_object(Bucket=BUCKET, Key=name)
    return server


@contextmanager
def unreachable() -> Iterator[None]:
    """As if the server were gone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        patch.setenv("AWS_MAX_ATTEMPTS", "1")
        s3fs.S3FileSystem.clear_instance_cache()
        yield
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def video(tmp_path: Path) -> Path:
    return write_clip(tmp_path / "two.mp4", [flat(colour, 320, 180) for colour in ((0, 0, 200), (200, 0, 0))] * 10)


def archives(storage: Any) -> dict[str, str]:
    """The digest of each archive by name, from video to key."""
    listed = storage.list_objects_v2(Bucket=BUCKET).get("Contents", [])
    return {each["Key"]: each["ETag"] for each in listed}


def lose_copies(workspace: Workspace) -> None:
    for folder in workspace.library.root.glob("videos/*/layers"):
        shutil.rmtree(folder)


@pytest.mark.nightly
def test_layers_return_from_the_storage_with_what_their_build_took(storage: Any, video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", SETTINGS)
    record = workspace.add(video).video
    names = {f"layers/{record.id}/{name}/{key}.tar" for name, key in record.layers.items()}
    assert set(archives(storage)) == names
    store, before = workspace.library.layers(record.id), in_use(workspace.library.root)
    runs = {name: store.run(name, key) for name, key in record.layers.items()}
    lose_copies(workspace)
    sound, problems = workspace.library.sound_layers(record)
    assert (set(sound), problems) == (set(record.layers), {})
    assert in_use(workspace.library.root) == before
    assert {name: store.run(name, key) for name, key in record.layers.items()} == runs
    assert all("core_seconds" in run for run in runs.values())


def test_a_node_without_the_library_reads_and_builds_layers(storage: Any, video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", SETTINGS)
    record = workspace.add(video).video
    there = Workspace(tmp_path / "node", SETTINGS).library.layers(record.id)
    inputs = {name: key for name, key in record.layers.items() if name == "text_frames"}
    made = record.layers["scene_text"]
    storage.delete_object(Bucket=BUCKET, Key=f"layers/{record.id}/scene_text/{made}.tar")
    before = in_use(workspace.library.root)
    task = Task("scene_text", video, video.stat().st_size, there, probe(video), inputs)
    assert LayerBuilder(SETTINGS).build(task).layers == {"scene_text": made}
    shutil.rmtree(workspace.library.layers(record.id).root / "scene_text")
    assert in_use(workspace.library.root) != before
    workspace.library.sound_layers(record)
    assert in_use(workspace.library.root) == before


def test_layers_from_before_the_storage_are_stored_also_if_their_engine_is_gone(
    storage: Any, video: Path, tmp_path: Path
) -> None:
    root = tmp_path / "library"
    before = Workspace(root, load(overrides=["engines.speakers=[]"])).add(video).video
    assert archives(storage) == {}
    without = load(overrides=["engines.speakers=[]", "engines.scene_text=[]", f"library.layers={ADDRESS}"])
    report = Workspace(root, without).add(video)
    assert report.video.layers == before.layers
    assert not [layer for layer in report.layers if layer.key and not layer.reused]
    assert set(archives(storage)) == {f"layers/{before.id}/{name}/{key}.tar" for name, key in before.layers.items()}


def test_a_node_that_does_not_find_a_layer_builds_nothing_without_it(storage: Any, video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", SETTINGS)
    record = workspace.add(video).video
    storage.delete_object(Bucket=BUCKET, Key=f"layers/{record.id}/moments/{record.layers['moments']}.tar")
    before = archives(storage)
    there = Workspace(tmp_path / "node", SETTINGS).library.layers(record.id)
    task = Task("text_vectors", video, video.stat().st_size, there, probe(video), record.layers)
    with pytest.raises(ConfigError, match=f"moments.*{ADDRESS}"):
        LayerBuilder(SETTINGS).build(task)
    assert archives(storage) == before


def test_without_the_storage_nothing_is_lost_and_the_next_run_completes_it(
    storage: Any, video: Path, tmp_path: Path
) -> None:
    workspace = Workspace(tmp_path / "library", SETTINGS)
    with unreachable(), pytest.raises(LibraryUnavailable, match=ADDRESS):
        workspace.add(video)
    assert archives(storage) == {}
    report = workspace.add(video)
    assert len(archives(storage)) == len(report.video.layers)
    with unreachable():
        assert workspace.library.sound_layers(report.video)[1] == {}  # from the copies here
        lose_copies(workspace)
        _, problems = workspace.library.sound_layers(report.video)
        assert all(ADDRESS in problem for problem in problems.values())


def test_a_bucket_that_does_not_exist_is_named_before_anything_is_lost(
    storage: Any, video: Path, tmp_path: Path
) -> None:
    settings = load(overrides=["engines.speakers=[]", "library.layers=s3://elsewhere/layers"])
    with pytest.raises(LibraryUnavailable, match="s3://elsewhere:"):
        Workspace(tmp_path / "library", settings).add(video)
    report = Workspace(tmp_path / "library", SETTINGS).add(video)
    assert report.complete
    assert len(archives(storage)) == len(report.video.layers)


def test_of_an_interrupted_run_only_the_archives_in_use_stay(storage: Any, video: Path, tmp_path: Path) -> None:
    watcher = Watcher()

    def stop_after_the_picture() -> None:
        if any(report.name == "moments" for report in watcher.reports):
            raise Cancelled("stopped")

    watcher.check_cancelled = stop_after_the_picture
    workspace = Workspace(tmp_path / "library", SETTINGS)
    partial = workspace.add(video, watcher)
    assert "text_vectors" in partial.video.layers
    lose_copies(workspace)  # as if another machine went on
    kept = f"layers/{partial.video.id}/text_vectors/{partial.video.layers['text_vectors']}.tar"
    left = f"layers/{partial.video.id}/text_vectors/0123456789abcdef.tar"  # by a node, just before the end
    storage.copy_object(Bucket=BUCKET, Key=left, CopySource={"Bucket": BUCKET, "Key": kept})
    record = workspace.add(video).video
    assert record.layers["text_vectors"] != partial.video.layers["text_vectors"]
    names = {f"layers/{record.id}/{name}/{key}.tar" for name, key in record.layers.items()}
    assert set(archives(storage)) == names


@pytest.mark.nightly
def test_a_damaged_archive_is_built_again(storage: Any, video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", SETTINGS)
    record = workspace.add(video).video
    [name] = [name for name in archives(storage) if "/changes/" in name]
    whole = storage.get_object(Bucket=BUCKET, Key=name)["Body"].read()
    for damaged in (b"", b"no archive", whole[: len(whole) // 2]):
        storage.put_object(Bucket=BUCKET, Key=name, Body=damaged)
        lose_copies(workspace)
        with pytest.raises(LibraryError, match="changes"):
            workspace.library.layer(record, "changes")
        assert workspace.add(video).complete
        assert storage.get_object(Bucket=BUCKET, Key=name)["Body"].read() != damaged
        assert workspace.library.layer(record, "changes") is not None


@pytest.mark.parametrize(
    ("step", "work"),
    [
        ("shared_layers._unpack", "store.get('probe', key)"),
        ("remote.RemoteFile.write", "store.share(store.get('probe', key), built=True)"),
    ],
)
def test_what_a_killed_process_had_packed_or_unpacked_is_removed(
    storage: Any, video: Path, tmp_path: Path, step: str, work: str
) -> None:
    workspace = Workspace(tmp_path / "library", SETTINGS)
    record = workspace.add(video).video
    key = record.layers["probe"]
    lose_copies(workspace)
    code = (
        "import os, sys; from pathlib import Path; from longtake import remote\n"
        "from longtake.memory import library, shared_layers\n"
        f"{step} = lambda *given: os.kill(os.getpid(), 9)\n"
        "store = library.LibraryStore(Path(sys.argv[1]), layers=sys.argv[2]).layers(sys.argv[3])\n"
        f"key = {key!r}; {work}"
    )
    killed = subprocess.run([sys.executable, "-c", code, workspace.library.root, ADDRESS, record.id], check=False)
    folder = workspace.library.layers(record.id).root
    left = [path for path in folder.rglob(".*") if path.is_dir()]
    assert (killed.returncode, len(left)) == (-9, 1)
    store = workspace.library.layers(record.id)
    again = store.get("probe", key)
    assert again is not None
    store.share(again, built=True)
    assert not [path for path in folder.rglob(".*") if path.is_dir()]


def test_only_the_disk_of_the_library_is_needed_to_store_layers(
    storage: Any, video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace(tmp_path / "library", load(overrides=["engines.speakers=[]"]))
    record = workspace.add(video).video
    store = Workspace(tmp_path / "library", SETTINGS).library.layers(record.id)
    layer = store.get("probe", record.layers["probe"])
    assert layer is not None
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    store.share(layer, built=True)
    assert set(archives(storage)) == {f"layers/{record.id}/probe/{layer.key}.tar"}


def test_nothing_of_an_archive_lands_elsewhere(storage: Any, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("../evil", f"{tmp_path}/evil", "folder/evil"):
            archive.addfile(tarfile.TarInfo(name))
        link = tarfile.TarInfo("layer.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    storage.put_object(Bucket=BUCKET, Key="layers/video/probe/key.tar", Body=packed.getvalue())
    assert Workspace(tmp_path / "library", SETTINGS).library.layers("video").get("probe", "key") is None
    assert not [path for path in tmp_path.rglob("*") if path.name in ("evil", "folder", "layer.json")]


def test_deleting_a_video_deletes_its_archives(storage: Any, video: Path, tmp_path: Path) -> None:
    other = write_clip(tmp_path / "other.mp4", [flat((0, 200, 0), 320, 180)] * 10)
    workspace = Workspace(tmp_path / "library", SETTINGS)
    kept = workspace.add(other).video
    workspace.add(video)
    option = ("--set", f"library.layers={ADDRESS}")
    assert longtake(*option, "videos", "delete", "two.mp4", library=workspace.library.root).code == 0
    assert {name.split("/")[1] for name in archives(storage)} == {kept.id}


def test_a_video_whose_archives_are_out_of_reach_stays_whole(storage: Any, video: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", SETTINGS)
    record = workspace.add(video).video
    upload = workspace.library.root / "uploads" / f"{record.id}.mp4"
    upload.parent.mkdir()
    upload.touch()
    with unreachable(), pytest.raises(LibraryUnavailable, match=ADDRESS):
        workspace.library.delete(record)
    assert upload.exists()
    assert workspace.library.get(record.id) == record


@pytest.mark.parametrize(
    "address", ["layers", "/mnt/layers", "s3://bucket", "s3://me:secret@bucket/layers", "s3://b/l/"]
)
def test_an_address_that_is_none_is_refused(address: str, tmp_path: Path) -> None:
    done = longtake("--set", f"library.layers={address}", "videos", "list", library=tmp_path)
    assert (done.code, "library.layers" in done.stderr, "secret" in done.stderr) == (1, True, False)
