"""Readings of closer looks, in the library's SQLite file and in a server."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from longtake.errors import LibraryError
from longtake.memory.closer_readings import MAX_TEXTS, VERSIONS, CloserReading, CloserReadings
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.notes import Notes
from longtake.memory.postgres import Postgres
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan

LAYERS: Mapping[str, str] = {"scene_text": "key", "probe": "other"}
RECIPE = LayerRecipe("scene_text", VERSIONS["scene_text"], "reader-1", {"min_confidence": 0.8}, {"scene_text": "key"})


def reading(
    start: float, end: float, *texts: str, video: str = "v", recipe: LayerRecipe = RECIPE, asked: str = ""
) -> CloserReading:
    span = TimeSpan(start=start, end=end)
    found = tuple(
        Moment(video=video, span=span, modality="scene_text", text=text, score=0.9137, engine=recipe.engine)
        for text in texts
    )
    return CloserReading(video=video, recipe=recipe, asked=asked, span=span, found=found)


def texts(kept: CloserReading | None) -> list[str]:
    return [item.text for item in kept.found] if kept else []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "library" / "memory.sqlite"


@pytest.fixture
def closer(place: Path | Postgres) -> CloserReadings:
    return CloserReadings(place)


def test_a_reading_comes_back_as_it_was(closer: CloserReadings, place: Path | Postgres) -> None:
    box = (0.1, 1 / 3, 0.25, 0.1)
    item = reading(10.04, 12.1, "Ünïted “249”").found[0].model_copy(update={"box": box, "trusted": False})
    kept = CloserReading(
        video="v",
        recipe=RECIPE,
        span=item.span,
        found=(item,),
        facts={"frames": ["00:10"]},
        space="words",
        vectors=bytes(range(8)),
    )
    closer.keep(kept)
    found = CloserReadings(place).find("v", RECIPE, item.span)
    assert found == kept
    assert found
    assert [each.id for each in found.found] == [item.id]


def test_a_look_that_found_nothing_is_not_taken_again(closer: CloserReadings) -> None:
    closer.keep(reading(1, 2))
    assert closer.find("v", RECIPE, TimeSpan(start=1, end=2)) == reading(1, 2)


@pytest.mark.parametrize(
    ("start", "end", "least", "found"),
    [
        (10, 18, 1.0, ["whole"]),
        (10, 17, 1.0, []),
        (10, 17, 0.5, ["whole"]),
        (11, 14, 0.5, []),
        (9, 17, 0.5, []),
        (12, 12, 0.5, []),
        (20, 21, 0.5, ["inner"]),
    ],
)
def test_a_part_is_taken_from_a_reading_of_which_it_is_share_enough(
    start: float, end: float, least: float, found: list[str], closer: CloserReadings
) -> None:
    closer.keep(reading(10, 18, "whole"))
    closer.keep(reading(19.5, 21.5, "outer"))
    closer.keep(reading(20, 21, "inner"))
    assert texts(closer.find("v", RECIPE, TimeSpan(start=start, end=end), min_share=least)) == found


@pytest.mark.parametrize(
    "recipe",
    [
        replace(RECIPE, name="speech"),
        replace(RECIPE, version=2),
        replace(RECIPE, engine="reader-2"),
        replace(RECIPE, settings={"min_confidence": 0.7}),
        replace(RECIPE, inputs={"scene_text": "another"}),
    ],
    ids=["capability", "code", "engine", "setting", "layer"],
)
def test_whoever_looks_in_another_way_gets_no_stale_reading(recipe: LayerRecipe, closer: CloserReadings) -> None:
    kept = reading(1, 2, "kettle")
    closer.keep(kept)
    assert closer.find("v", recipe, kept.span) is None
    assert closer.find("another file", RECIPE, kept.span) is None
    assert closer.find("v", RECIPE, kept.span) == kept


@pytest.mark.parametrize(
    "recipe",
    [
        replace(RECIPE, version=VERSIONS["scene_text"] + 1),
        replace(RECIPE, name="tasting"),
        replace(RECIPE, inputs={"scene_text": "old"}),
        replace(RECIPE, inputs={"scene_text": "key", "speech": "gone"}),
        replace(RECIPE, inputs={"probe": ""}),
    ],
    ids=["code", "no such look", "older layer", "layer that is gone", "layer that was not there"],
)
def test_what_todays_code_and_layers_would_not_find_is_not_given_to_search(
    recipe: LayerRecipe, closer: CloserReadings
) -> None:
    closer.keep(reading(1, 2, "kettle", recipe=recipe))
    assert closer.current("v", LAYERS) == []


def test_a_reading_that_started_without_a_layer_holds_until_there_is_one(closer: CloserReadings) -> None:
    kept = reading(1, 2, "kettle", recipe=replace(RECIPE, inputs={"speech": ""}))
    closer.keep(kept)
    assert closer.current("v", LAYERS) == [kept]
    assert closer.current("v", {**LAYERS, "speech": "key"}) == []


@pytest.mark.parametrize(
    "newer",
    [
        replace(RECIPE, engine="reader-2"),
        replace(RECIPE, settings={"min_confidence": 0.7}),
        replace(RECIPE, inputs={"scene_text": "new"}),
    ],
    ids=["engine", "setting", "layer"],
)
def test_what_another_way_of_looking_kept_gives_way_in_the_whole_video(
    newer: LayerRecipe, closer: CloserReadings
) -> None:
    for each in (reading(1, 2, "kettle"), reading(7, 8, "teapot"), reading(1, 2, "elsewhere", video="w")):
        closer.keep(each)
    heard = reading(1, 2, "said", recipe=LayerRecipe("closer_speech", VERSIONS["closer_speech"], "ear"))
    closer.keep(heard)
    closer.keep(reading(1, 2, "Kettle", recipe=newer))
    layers = {"scene_text": newer.inputs["scene_text"]}
    assert [texts(each) for each in closer.current("v", layers)] == [["said"], ["Kettle"]]
    assert closer.find("v", RECIPE, TimeSpan(start=7, end=8)) is None
    assert len(closer.current("w", LAYERS)) == 1


def test_questions_about_one_span_are_kept_apart(closer: CloserReadings) -> None:
    for asked in ("What boils?", "Who sits?"):
        closer.keep(reading(1, 2, f"answer to {asked}", asked=asked))
    answers = [
        texts(closer.find("v", RECIPE, TimeSpan(start=1, end=2), asked=asked)) for asked in ("What boils?", "Who?")
    ]
    assert answers == [["answer to What boils?"], []]
    assert len(closer.current("v", LAYERS)) == 2


def test_the_key_follows_what_is_kept_the_layers_and_the_code(
    closer: CloserReadings, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [closer.key("v", LAYERS)]
    closer.keep(reading(1, 2, "kettle", video="w"))
    assert keys == [closer.key("v", LAYERS)] == [""]
    for number in range(2):
        closer.keep(reading(1, 2, "kettle", str(number)))
        keys.append(closer.key("v", LAYERS))
    keys.append(closer.key("v", {"scene_text": "new"}))
    monkeypatch.setattr("longtake.memory.closer_readings.VERSIONS", {"scene_text": VERSIONS["scene_text"] + 1})
    keys.append(closer.key("v", LAYERS))
    assert len(set(keys)) == 5
    closer.forget("v")
    assert closer.key("v", LAYERS) == ""


def test_readings_come_in_order_of_time(closer: CloserReadings) -> None:
    closer.keep(reading(5, 6, "later"))
    closer.keep(reading(1, 2, "sooner"))
    closer.keep(reading(1, 2, "elsewhere", video="w"))
    assert [texts(each) for each in closer.current("v", LAYERS)] == [["sooner"], ["later"]]


def test_the_oldest_give_way_by_the_number_of_their_texts(closer: CloserReadings) -> None:
    closer.keep(reading(0, 1, "of another video", video="w"))
    closer.keep(reading(0, 1, "oldest", "oldest"))
    closer.keep(reading(1, 2))
    closer.keep(reading(2, 3, *(str(number) for number in range(MAX_TEXTS - 3)), *["0"] * 9))
    closer.keep(reading(3, 4, "next"))
    assert [each.span.start for each in closer.current("v", LAYERS)] == [0, 1, 2, 3]
    closer.keep(reading(4, 5, "newest"))
    assert [each.span.start for each in closer.current("v", LAYERS)] == [1, 2, 3, 4]
    closer.keep(reading(5, 6, *(str(number) for number in range(MAX_TEXTS + 1))))
    assert [each.span.start for each in closer.current("v", LAYERS)] == [5]
    assert len(closer.current("w", LAYERS)) == 1


def test_nothing_is_made_before_the_first_is_kept(file: Path) -> None:
    closer = CloserReadings(file)
    assert closer.find("v", RECIPE, TimeSpan(start=1, end=2)) is None
    assert closer.current("v", LAYERS) == []
    closer.forget("v")
    closer.check()
    assert not file.parent.exists()


def test_checking_writes_nothing(file: Path) -> None:
    closer = CloserReadings(file)
    closer.keep(reading(1, 2, "kettle"))
    before = {each.name: each.read_bytes() for each in file.parent.iterdir()}
    closer.check()
    assert {each.name: each.read_bytes() for each in file.parent.iterdir()} == before


def test_processes_that_write_at_once_lose_nothing(file: Path) -> None:
    closer = CloserReadings(file)
    program = (
        "import sys; from pathlib import Path\n"
        "from longtake.memory.closer_readings import CloserReading, CloserReadings\n"
        "closer, kept = CloserReadings(Path(sys.argv[1])), CloserReading.model_validate_json(sys.argv[2])\n"
        "for number in range(15):\n"
        "    closer.keep(kept.model_copy(update={'video': f'{sys.argv[3]}-{number}'}))\n"
        "    closer.keep(kept)\n"
    )
    kept = reading(1, 2, "kettle").model_dump_json()
    arguments = [sys.executable, "-c", program, str(file), kept]
    writers = [subprocess.Popen([*arguments, str(each)]) for each in range(3)]
    assert [writer.wait() for writer in writers] == [0] * 3
    for video in ("v", *(f"{each}-{number}" for each in range(3) for number in range(15))):
        assert [texts(each) for each in closer.current(video, LAYERS)] == [["kettle"]]


def test_a_damaged_file_is_one_sentence(file: Path) -> None:
    closer = CloserReadings(file)
    file.parent.mkdir()
    file.write_bytes(b"no database at all" * 100)
    for use in (closer.check, lambda: closer.current("v", LAYERS), lambda: closer.keep(reading(1, 2))):
        with pytest.raises(LibraryError, match=r"readings in .*memory\.sqlite .*away"):
            use()


@pytest.mark.parametrize("damage", ["'{'", "x'ff'"], ids=["cut off", "no text"])
def test_a_damaged_reading_is_passed_over_and_gives_way_to_the_next(damage: str, file: Path) -> None:
    closer = CloserReadings(file)
    closer.keep(reading(1, 2, "kettle"))
    closer.keep(reading(5, 6, "teapot"))
    with sqlite3.connect(file) as connection:
        connection.execute(f"UPDATE closer_looks SET reading = CAST({damage} AS TEXT) WHERE first = 1")
    assert closer.find("v", RECIPE, TimeSpan(start=1, end=2)) is None
    assert [texts(each) for each in closer.current("v", LAYERS)] == [["teapot"]]
    closer.keep(reading(1, 2, "kettle"))
    assert [texts(each) for each in closer.current("v", LAYERS)] == [["kettle"], ["teapot"]]


def test_reading_writes_nothing(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    video = VideoRecord(id="v", name="v.mp4", path="/x/v", size=9, modified=1, duration=9, layers=LAYERS)
    library.save(video)
    library.closer_readings.keep(reading(1, 2, "kettle"))
    library.memory_file.with_suffix(".lock").unlink()
    before = {each.name for each in library.root.iterdir()}
    library.export(video, tmp_path / "copy")
    assert library.closer_readings.find("v", RECIPE, TimeSpan(start=1, end=2))
    assert library.closer_readings.key("v", LAYERS)
    assert {each.name for each in library.root.iterdir()} == before
    assert "kettle" in (tmp_path / "copy" / "readings.jsonl").read_text(encoding="utf-8")


def test_a_video_takes_its_readings_along(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path / "library")
    videos = [
        VideoRecord(
            id=name, name=f"{name}.mp4", path=f"/x/{name}", size=9, modified=1, duration=9, layers={"scene_text": "key"}
        )
        for name in ("v", "w")
    ]
    for video in videos:
        library.save(video)
        library.closer_readings.keep(reading(1, 2, "kettle", video=video.id))
    Notes(library.memory_file).add("t", "a note")
    library.export(videos[0], tmp_path / "copy")
    copied = (tmp_path / "copy" / "readings.jsonl").read_text(encoding="utf-8").splitlines()
    assert [CloserReading.model_validate_json(line) for line in copied] == [reading(1, 2, "kettle")]
    library.delete(videos[0])
    assert library.closer_readings.current("v", LAYERS) == []
    assert len(library.closer_readings.current("w", LAYERS)) == 1
    assert len(Notes(library.memory_file).search("t", "", 9)) == 1
