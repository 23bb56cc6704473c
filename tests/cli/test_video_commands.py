"""`longtake videos`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.data.layers import new_layer
from typer.testing import CliRunner, Result

from longtake.cli.options import library_of
from longtake.cli.video_commands import videos
from longtake.console import Session
from longtake.errors import LibraryError
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.postgres import Postgres
from longtake.memory.records import Moment
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import Batch, SearchFilter
from longtake.memory.timespan import TimeSpan

TALK = "00112233445566aa"


@pytest.fixture
def library(tmp_path: Path) -> LibraryStore:
    library = LibraryStore(tmp_path / "library")
    recipe = LayerRecipe("subtitles", 1, "sidecar")
    with new_layer(library.layers(TALK), recipe) as writer:
        writer.add({"start": 61.5, "end": 64.0, "text": "Hello dragon", "language": "en", "source": "a.vtt"})
        writer.cover([TimeSpan(start=0, end=60)])
    layers = {"subtitles": recipe.key}
    library.save(
        VideoRecord(
            id=TALK, name="talk.mp4", path="/x/talk.mp4", size=9, modified=1, duration=120, layers=layers, complete=True
        )
    )
    return library


def run(library: LibraryStore, *arguments: str) -> Result:
    return CliRunner().invoke(videos, list(arguments), obj=Session(library=library.root), catch_exceptions=False)


def test_list_names_every_video(library: LibraryStore) -> None:
    assert run(library, "list").stdout == f"talk.mp4  00:02:00  {TALK}  subtitles\n"
    [video] = json.loads(run(library, "list", "--json").stdout)
    assert (video["id"], video["name"], video["duration"]) == (TALK, "talk.mp4", 120.0)
    assert (video["layers"]["subtitles"]["share"], video["complete"]) == (0.5, True)


def test_list_marks_a_video_whose_indexing_has_not_finished(library: LibraryStore) -> None:
    library.save(library.resolve(TALK).model_copy(update={"layers": {}, "complete": False}))
    assert run(library, "list").stdout == f"talk.mp4  00:02:00  {TALK}  no layers  (indexing hasn't finished)\n"
    [video] = json.loads(run(library, "list", "--json").stdout)
    assert (video["layers"], video["complete"]) == ({}, False)
    assert "(indexing hasn't finished)" in run(library, "show", TALK).stdout
    assert json.loads(run(library, "show", TALK, "--json").stdout)["complete"] is False


def test_an_empty_library_says_what_to_do(tmp_path: Path) -> None:
    empty = LibraryStore(tmp_path)
    assert "longtake index FILE" in run(empty, "list").stdout
    assert json.loads(run(empty, "list", "--json").stdout) == []


def test_show_gives_the_video_or_the_items_of_a_layer(library: LibraryStore) -> None:
    assert "subtitles           1 item   50% of the time  sidecar" in run(library, "show", "talk").stdout
    shown = "00:01:01.5-00:01:04.0  Hello dragon  language=en  source=a.vtt\n"
    assert run(library, "show", "talk", "subtitles").stdout == shown
    assert json.loads(run(library, "show", TALK[:8], "--json").stdout)["path"] == "/x/talk.mp4"
    assert json.loads(run(library, "show", "talk", "subtitles", "--json").stdout)[0]["text"] == "Hello dragon"


def test_show_leaves_out_what_an_item_does_not_know(library: LibraryStore) -> None:
    recipe = LayerRecipe("probe", 1, "pyav")
    with new_layer(library.layers(TALK), recipe) as writer:
        writer.add({"container": "mp4", "video": None, "audio": [{"codec": "aac", "language": None}]})
    library.save(library.resolve("talk").model_copy(update={"layers": {"probe": recipe.key}}))
    assert run(library, "show", "talk", "probe").stdout == "audio=[{'codec': 'aac'}]  container=mp4\n"
    assert json.loads(run(library, "show", "talk", "probe", "--json").stdout)[0]["audio"][0]["language"] is None


def test_what_is_not_there_is_one_sentence(library: LibraryStore) -> None:
    with pytest.raises(LibraryError, match=r"no layer 'captions'. It has: subtitles"):
        run(library, "show", "talk", "captions")
    with pytest.raises(LibraryError, match="neither a file nor a video"):
        run(library, "delete", "walk")


def test_delete_forgets_layers_and_search_but_not_the_file(library: LibraryStore) -> None:
    index = Index(library.index_root)
    found = Moment(
        video=TALK,
        span=TimeSpan(start=61.5, end=64),
        modality="speech",
        text="Hello dragon",
        engine="sidecar",
        layer="key",
    )
    index.replace(TALK, [Batch("", [found], None)])
    assert index.search("dragon", {}, SearchFilter(), 5)
    assert json.loads(run(library, "delete", "talk", "--json").stdout) == {"deleted": TALK, "name": "talk.mp4"}
    assert library.videos() == []
    assert index.search("dragon", {}, SearchFilter(), 5) == []


def test_delete_works_on_a_video_that_was_never_indexed(library: LibraryStore) -> None:
    assert "/x/talk.mp4 is untouched" in run(library, "delete", "talk").stdout


def test_delete_takes_uploaded_files_along(library: LibraryStore) -> None:
    uploads = library.root / "uploads"
    uploads.mkdir()
    for name in (f"{TALK}.mp4", f"{TALK}.en.srt", "ffffffffffffffff.mp4"):
        (uploads / name).touch()
    assert "untouched" not in run(library, "delete", "talk").stdout
    assert [file.name for file in uploads.iterdir()] == ["ffffffffffffffff.mp4"]


def test_export_copies_record_and_layers(library: LibraryStore, tmp_path: Path) -> None:
    target = tmp_path / "copy"
    assert json.loads(run(library, "export", "talk", str(target), "--json").stdout)["folder"] == str(target)
    assert "Hello dragon" in (target / "subtitles" / "items.jsonl").read_text()
    assert "record and 1 layer of talk.mp4 to" in run(library, "export", "talk", str(tmp_path / "again")).stdout
    with pytest.raises(LibraryError, match="exists"):
        run(library, "export", "talk", str(target))


def test_every_command_on_the_library_knows_its_database(library: LibraryStore) -> None:
    url = "postgresql://me@127.0.0.1/memory"
    assert library_of(Session(overrides=(f"library.database={url}",), library=library.root)).memory == Postgres(url)
