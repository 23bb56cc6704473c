"""What `longtake doctor` says of the library: where it is, what it holds and takes, and what the index lost."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from helpers.data.layers import new_layer
from helpers.read_only import needs_jail, run_read_only
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.config import load
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import FORMAT, VideoRecord
from longtake.memory.search.search_types import SearchFilter
from longtake.memory.search.store import NAME
from longtake.preprocess.pipeline import library_check
from longtake.preprocess.pipeline.index_sync import make_findable
from longtake.preprocess.pipeline.library_check import LibraryCheck, check_library
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

TALK = VideoRecord(id="a" * 16, name="talk.mp4", path="/x/talk.mp4", size=9, modified=1, duration=4)
SPOKEN = LayerRecipe("subtitles", 1, "by hand")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A library that holds one video, and the index what its one layer holds."""
    workspace = Workspace(tmp_path / "library", Settings())
    video = TALK.model_copy(update={"layers": {SPOKEN.name: SPOKEN.key}})
    store = workspace.library.layers(video.id)
    with new_layer(store, SPOKEN) as writer:
        writer.add({"start": 1.0, "end": 2.0, "text": "The kettle boils."})
    layer = store.get(SPOKEN.name, SPOKEN.key)
    assert layer is not None
    make_findable(video, {SPOKEN.name: layer}, workspace.library, workspace.index)
    return workspace


def contents(root: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in root.rglob("*") if file.is_file()}


def test_a_sound_library_is_counted_weighed_and_left_as_it_is(workspace: Workspace) -> None:
    root = workspace.library.root
    before = contents(root)
    check = check_library(root, Settings())
    size = sum(len(content) for content in before.values())
    assert check == LibraryCheck(str(root), FORMAT, 1, size, check.free, ())
    assert 0 < check.free <= shutil.disk_usage(root).total
    assert contents(root) == before


def test_a_library_that_is_not_there_yet_is_no_problem_and_is_not_made(tmp_path: Path) -> None:
    root = tmp_path / "some" / "library"
    check = check_library(root, Settings())
    assert (check.format, check.videos, check.size, check.problems) == (None, 0, 0, ())
    assert check.free > 0
    assert not root.parent.exists()


def lose_the_index(workspace: Workspace) -> None:
    (workspace.library.index_root / NAME).unlink()


def lose_a_layer(workspace: Workspace) -> None:
    shutil.rmtree(workspace.library.root / "videos" / TALK.id / "layers")


def damage_a_layer(workspace: Workspace) -> None:
    next(workspace.library.root.glob("videos/*/layers/*/*/layer.json")).write_text("{")


def lose_the_items(workspace: Workspace) -> None:
    next(workspace.library.root.glob("videos/*/layers/*/*/items.jsonl")).unlink()


def damage_the_index(workspace: Workspace) -> None:
    (workspace.library.index_root / NAME).write_bytes(b"no database at all" * 100)


def take(table: str) -> Callable[[Workspace], None]:
    def take_rows(workspace: Workspace) -> None:
        with closing(sqlite3.connect(workspace.library.index_root / NAME)) as connection, connection:
            connection.execute(f"DELETE FROM {table}")

    return take_rows


def return_to_an_earlier_version(workspace: Workspace) -> None:
    (workspace.library.index_root / "chroma").mkdir()


def damage_the_record(workspace: Workspace) -> None:
    for copy in (workspace.library.root / "videos" / TALK.id).glob("video*.json"):
        copy.write_text("{}")


def damage_the_readings(workspace: Workspace) -> None:
    workspace.library.memory_file.write_bytes(b"no database at all" * 100)


def raise_the_format(workspace: Workspace) -> None:
    (workspace.library.root / "library.json").write_text('{"format": 99}')


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lose_the_index, "talk.mp4 (aaaaaaaaaaaaaaaa) is not in the search index: the next `longtake search`"),
        (lose_a_layer, "`longtake index /x/talk.mp4`"),
        (damage_a_layer, "`longtake index /x/talk.mp4`"),
        (lose_the_items, "`longtake index /x/talk.mp4`"),
        (damage_the_index, "delete the folder"),
        *((take(table), "delete the folder") for table in ("moments", "words")),
        (return_to_an_earlier_version, "is of an earlier version: the next `longtake search` builds it again"),
        (damage_the_record, f"run `longtake index` with the file of the video {TALK.id}"),
        (raise_the_format, "format 99"),
        (damage_the_readings, "memory.sqlite"),
    ],
)
def test_each_thing_that_is_wrong_is_a_line_that_says_what_to_do(
    workspace: Workspace, damage: Callable[[Workspace], None], said: str
) -> None:
    damage(workspace)
    [problem] = check_library(workspace.library.root, Settings()).problems
    assert said in problem


@pytest.mark.parametrize("damage", [damage_the_index, take("words")])
def test_damaged_layers_are_named_though_the_index_is_damaged_too(
    workspace: Workspace, damage: Callable[[Workspace], None]
) -> None:
    damage_a_layer(workspace)
    damage(workspace)
    said = check_library(workspace.library.root, Settings()).problems
    assert ["`longtake index" in problem for problem in said] == [True, False]


def test_what_doctor_advises_for_a_lost_video_helps(workspace: Workspace) -> None:
    lose_the_index(workspace)
    fresh = Workspace(workspace.library.root, Settings())
    fresh.restore(fresh.library.videos())
    assert check_library(workspace.library.root, Settings()).problems == ()


def test_a_layer_that_could_not_be_read_is_found_once_it_can_be(workspace: Workspace) -> None:
    [layer] = workspace.library.root.glob("videos/*/layers/*/*")
    away = layer.rename(workspace.library.root / "away")
    lose_the_index(workspace)
    for found in (0, 0, 1):
        fresh = Workspace(workspace.library.root, Settings())
        if found:
            away.rename(layer)
        fresh.restore(fresh.library.videos())
        assert len(fresh.index.search("kettle", {}, SearchFilter(), 5)) == found
    assert check_library(workspace.library.root, Settings()).problems == ()


def test_a_path_that_goes_through_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    [problem] = check_library(tmp_path / "file" / "library", Settings()).problems
    assert f"{tmp_path / 'file'} is a file, not a folder" in problem


def test_a_disk_without_room_is_named(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_check, "_LITTLE", shutil.disk_usage(workspace.library.root).total + 1)
    [problem] = check_library(workspace.library.root, Settings()).problems
    assert str(workspace.library.root) in problem
    assert "free more" in problem


@pytest.mark.nightly
@needs_jail
@pytest.mark.parametrize(("damage", "said"), [(None, ()), (raise_the_format, ("format 99",))])
def test_a_read_only_disk_is_named_and_hides_nothing_else(
    workspace: Workspace, damage: Callable[[Workspace], None] | None, said: tuple[str, ...]
) -> None:
    if damage:
        damage(workspace)
    problems = json.loads(run_read_only(workspace.library.root, "doctor", "--json").stdout)["library"]["problems"]
    assert len(problems) == 1 + len(said)
    for problem, words in zip(problems, ("mount it writable", *said), strict=True):
        assert words in problem


def test_a_chroma_server_that_is_gone_is_named(workspace: Workspace) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/name"
    named = load(overrides=[f"search.chroma={address}"])
    [problem] = check_library(workspace.library.root, named).problems
    assert address in problem
    damage_a_layer(workspace)
    assert len(check_library(workspace.library.root, named).problems) == 2


def test_doctor_shows_the_library_to_people_and_as_json(workspace: Workspace) -> None:
    lose_the_index(workspace)
    command = ["--library", str(workspace.library.root), "doctor"]
    said = CliRunner().invoke(app, command, catch_exceptions=False).stdout
    assert f"library     {workspace.library.root} (format {FORMAT}, 1 video, " in said
    assert "            talk.mp4 (aaaaaaaaaaaaaaaa) is not in the search index" in said
    library = json.loads(CliRunner().invoke(app, [*command, "--json"], catch_exceptions=False).stdout)["library"]
    assert set(library) == {"path", "format", "videos", "size", "free", "problems"}
    assert len(library["problems"]) == 1


def test_a_database_that_cannot_be_used_as_it_is_named_is_a_problem(workspace: Workspace) -> None:
    named = load(overrides=["library.database=postgresql://me@host:port/memory"])
    [problem] = check_library(workspace.library.root, named).problems
    assert "library.database" in problem
