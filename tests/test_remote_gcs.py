"""Videos on Google Cloud Storage, from an emulator on loopback."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.layers_on_disk import in_use
from helpers.libraries import SETTINGS

from longtake.api import Library
from longtake.memory.library import file_id
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.media_files import files_in
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.remote import media_path

gcsfs = pytest.importorskip("gcsfs", reason="needs gcsfs: pip install 'longtake[gcs]'")
emulator = pytest.importorskip(
    "gcp_storage_emulator.server", reason="needs an emulator: pip install gcp-storage-emulator"
)
TALK = "gs://talks/folder/talk.mp4"


@pytest.fixture(scope="module", autouse=True)
def storage(small_workspace: Workspace) -> Iterator[None]:
    """A bucket with the small video and its subtitles, to which the variables of this process lead."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = emulator.create_server("127.0.0.1", port, in_memory=True, default_bucket="talks")
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
        bucket = gcsfs.GCSFileSystem(token="anon")
        for file in small_workspace.library.root.glob("talk.*"):
            bucket.put(str(file), f"talks/folder/{file.name}")
        yield
    server.stop()


def test_layers_and_answers_are_those_of_the_local_file(small_workspace: Workspace, tmp_path: Path) -> None:
    local, path = small_workspace.library.root / "talk.mp4", media_path(TALK)
    assert [str(file) for file in files_in(media_path("gs://talks/folder"))] == [TALK, TALK.replace("mp4", "vtt")]
    assert (file_id(path), probe(path)) == (file_id(local), probe(local))
    with Library(tmp_path, SETTINGS) as library:
        assert library.index(TALK).complete
        assert in_use(tmp_path) == in_use(small_workspace.library.root)
        assert "249" in library.ask(TALK, "What does the blue kettle cost?").answer
