"""The library: videos by path, id or name."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers.data.layers import new_layer

from longtake.errors import LibraryError, MediaError
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import LibraryStore, VideoRecord, file_id


def add(library: LibraryStore, file: Path, content: bytes) -> VideoRecord:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    status = file.stat()
    record = VideoRecord(
        id=file_id(file),
        name=file.name,
        path=str(file.resolve()),
        size=status.st_size,
        modified=status.st_mtime_ns,
        duration=4.0,
    )
    library.save(record)
    return record


def test_a_video_is_found_by_path_id_beginning_of_the_id_name_and_stem(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    talk = add(library, tmp_path / "talk.mp4", b"talk")
    for reference in (str(tmp_path / "talk.mp4"), talk.id, talk.id[:6], "talk.mp4", "talk"):
        assert library.resolve(reference) == talk


def test_a_renamed_and_moved_file_is_the_same_video(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    talk = add(library, tmp_path / "talk.mp4", b"talk")
    (tmp_path / "talk.mp4").rename(tmp_path / "other.mp4")
    assert library.resolve(str(tmp_path / "other.mp4")).id == talk.id


def test_a_changed_file_under_the_same_path_is_another_video(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    add(library, tmp_path / "talk.mp4", b"talk")
    (tmp_path / "talk.mp4").write_bytes(b"another talk")
    assert library.find(str(tmp_path / "talk.mp4")) is None


def test_equal_names_never_collide_and_ask_for_the_id(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    add(library, tmp_path / "a" / "talk.mp4", b"one")
    add(library, tmp_path / "b" / "talk.mp4", b"two")
    assert len(library.videos()) == 2
    with pytest.raises(LibraryError, match=r"2 videos.*id"):
        library.resolve("talk.mp4")


def test_a_video_that_is_not_there_suggests_one_that_is(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    add(library, tmp_path / "talk.mp4", b"talk")
    with pytest.raises(LibraryError, match=r"neither a file nor a video.*Did you mean 'talk.mp4'"):
        library.resolve("tolk.mp4")


def test_a_damaged_record_costs_only_its_video_and_says_what_to_do(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    talk, trip = (add(library, tmp_path / name, name.encode()) for name in ("talk.mp4", "trip.mp4"))
    for copy in (tmp_path / "library" / "videos" / talk.id).glob("video*.json"):
        assert library.videos() == [talk, trip]
        copy.write_text("{")
    assert library.videos() == [trip]
    assert library.resolve("trip.mp4") == trip
    with pytest.raises(LibraryError, match=rf"{talk.id}/video.json is damaged: run `longtake index`"):
        library.resolve("talk.mp4")


def test_deleting_removes_the_layers_and_not_the_file(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    talk = add(library, tmp_path / "talk.mp4", b"talk")
    library.delete(talk)
    assert library.videos() == []
    assert list((tmp_path / "library" / "videos").iterdir()) == []
    assert (tmp_path / "talk.mp4").exists()


def test_what_an_interrupted_deletion_left_is_no_video_and_is_swept_by_the_next(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    videos = tmp_path / "library" / "videos"
    talk = add(library, tmp_path / "talk.mp4", b"talk")
    (videos / talk.id).rename(videos / f".deleted-{talk.id}")
    assert library.videos() == []
    again = add(library, tmp_path / "talk.mp4", b"talk")
    library.delete(again)
    assert list(videos.iterdir()) == []


def test_a_video_that_is_deleted_while_all_are_listed_is_left_out(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    first, second = sorted((add(library, tmp_path / name, name.encode()) for name in "ab"), key=lambda video: video.id)
    record = tmp_path / "library" / "videos" / first.id / "video.json"
    written = record.read_text()
    record.unlink()
    os.mkfifo(record)  # so that reading it waits
    with ThreadPoolExecutor(1) as beside:
        listed = beside.submit(library.videos)
        with record.open("w") as pipe:  # from here on it is being read, and what there is has been listed
            library.delete(second)
            pipe.write(written)
        assert listed.result() == [first]


def test_deleting_what_is_gone_is_one_sentence(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    talk = add(library, tmp_path / "talk.mp4", b"talk")
    library.delete(talk)
    with pytest.raises(LibraryError, match=r"talk\.mp4 .*already gone"):
        library.delete(talk)


def test_export_copies_the_layers_in_use_and_never_overwrites(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    talk = add(library, tmp_path / "talk.mp4", b"talk")
    recipe = LayerRecipe("subtitles", 1, "subtitles-1")
    with new_layer(library.layers(talk.id), recipe) as writer:
        writer.add({"start": 0, "end": 1, "text": "hello"})
    talk = talk.model_copy(update={"layers": {"subtitles": recipe.key}})
    library.save(talk)
    library.export(talk, tmp_path / "out")
    assert "hello" in (tmp_path / "out" / "subtitles" / "items.jsonl").read_text()
    assert (tmp_path / "out" / "video.json").is_file()
    with pytest.raises(LibraryError, match="exists"):
        library.export(talk, tmp_path / "out")


@pytest.mark.parametrize("target", ["file/out", "damaged"])
def test_an_export_that_fails_leaves_nothing_and_says_why(tmp_path: Path, target: str) -> None:
    library = LibraryStore(tmp_path / "library")
    talk = add(library, tmp_path / "talk.mp4", b"talk")
    recipe = LayerRecipe("subtitles", 1, "subtitles-1")
    with new_layer(library.layers(talk.id), recipe):
        pass
    (tmp_path / "library" / "videos" / talk.id / "layers" / "subtitles" / recipe.key / "lost").symlink_to("nowhere")
    (tmp_path / "file").write_text("no folder")
    held = sorted(tmp_path.iterdir())
    with pytest.raises(LibraryError, match=rf"{target}: .+\.$"):
        library.export(talk.model_copy(update={"layers": {"subtitles": recipe.key}}), tmp_path / target)
    assert sorted(tmp_path.iterdir()) == held


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"nothing\.mp4: No such file"):
        file_id(tmp_path / "nothing.mp4")
