"""Readings of closer looks, in the library's SQLite file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from longtake.errors import LibraryError
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import Library, VideoRecord
from longtake.memory.notes import Notes
from longtake.memory.records import Evidence
from longtake.memory.refined import MOST_READINGS, Reading, Refined
from longtake.memory.timespan import TimeSpan

LAYERS: Mapping[str, str] = {"scene_text": "key", "probe": "other"}
RECIPE = LayerRecipe("scene_text", 1, "reader-1", {"min_confidence": 0.8}, {"scene_text": "key"})


def reading(start: float, end: float, *texts: str, video: str = "v", recipe: LayerRecipe = RECIPE) -> Reading:
    span = TimeSpan(start=start, end=end)
    found = tuple(
        Evidence(video=video, span=span, modality="scene_text", content=text, score=0.9137, engine=recipe.engine)
        for text in texts
    )
    return Reading(video=video, recipe=recipe, span=span, found=found)


def texts(kept: Reading | None) -> list[str]:
    return [item.content for item in kept.found] if kept else []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "library" / "memory.sqlite"


@pytest.fixture
def refined(file: Path) -> Refined:
    return Refined(file)


def test_a_reading_comes_back_as_it_was(refined: Refined, file: Path) -> None:
    box = (0.1, 1 / 3, 0.25, 0.1)
    item = reading(10.04, 12.1, "Ünïted “249”").found[0].model_copy(update={"box": box, "trusted": False})
    kept = Reading(
        video="v",
        recipe=RECIPE,
        span=item.span,
        found=(item,),
        facts={"frames": ["00:10"]},
        space="words",
        vectors=bytes(range(8)),
    )
    refined.keep(kept)
    found = Refined(file).find("v", RECIPE, item.span)
    assert found == kept
    assert found
    assert [each.id for each in found.found] == [item.id]


def test_a_look_that_found_nothing_is_not_taken_again(refined: Refined) -> None:
    refined.keep(reading(1, 2))
    assert refined.find("v", RECIPE, TimeSpan(start=1, end=2)) == reading(1, 2)


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
    start: float, end: float, least: float, found: list[str], refined: Refined
) -> None:
    refined.keep(reading(10, 18, "whole"))
    refined.keep(reading(19.5, 21.5, "outer"))
    refined.keep(reading(20, 21, "inner"))
    assert texts(refined.find("v", RECIPE, TimeSpan(start=start, end=end), least=least)) == found


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
def test_whoever_looks_in_another_way_gets_no_stale_reading(recipe: LayerRecipe, refined: Refined) -> None:
    kept = reading(1, 2, "kettle")
    refined.keep(kept)
    assert refined.find("v", recipe, kept.span) is None
    assert refined.find("another file", RECIPE, kept.span) is None
    assert refined.find("v", RECIPE, kept.span) == kept


def test_what_another_version_kept_is_not_used(refined: Refined, file: Path) -> None:
    refined.keep(reading(1, 2, "kettle"))
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE readings SET version = version + 1")
    assert refined.find("v", RECIPE, TimeSpan(start=1, end=2)) is None
    assert refined.readings("v", LAYERS) == []


def test_readings_that_started_from_other_layers_do_not_count(refined: Refined) -> None:
    refined.keep(reading(5, 6, "later"))
    refined.keep(reading(1, 2, "sooner"))
    refined.keep(reading(3, 4, "stale", recipe=replace(RECIPE, inputs={"scene_text": "old"})))
    refined.keep(reading(1, 2, "elsewhere", video="w"))
    assert [texts(each) for each in refined.readings("v", LAYERS)] == [["sooner"], ["later"]]
    assert refined.readings("v", {"probe": "other"}) == []


def test_the_oldest_give_way(refined: Refined) -> None:
    refined.keep(reading(0, 1, "of another video", video="w"))
    for second in range(3):
        refined.keep(reading(second, second + 1, str(second)))
    with refined._open() as connection:
        connection.execute("UPDATE readings SET kept = kept - 9 WHERE first = 1")
        connection.executemany(
            "INSERT INTO readings SELECT 'v', recipe, version, ?, ?, reading, kept FROM readings WHERE video = 'w'",
            [(second, second + 1) for second in range(10, 10 + MOST_READINGS - 3)],
        )
    refined.keep(reading(5, 6, "newest"))
    assert len(refined.readings("w", LAYERS)) == 1
    held = [refined.find("v", RECIPE, TimeSpan(start=at, end=at + 1)) for at in (1, 2, 5)]
    assert [texts(each) for each in held] == [[], ["2"], ["newest"]]


def test_nothing_is_made_before_the_first_is_kept(refined: Refined, file: Path) -> None:
    assert refined.find("v", RECIPE, TimeSpan(start=1, end=2)) is None
    assert refined.readings("v", LAYERS) == []
    refined.forget("v")
    refined.check()
    assert not file.parent.exists()


def test_checking_writes_nothing(refined: Refined, file: Path) -> None:
    refined.keep(reading(1, 2, "kettle"))
    before = {each.name: each.read_bytes() for each in file.parent.iterdir()}
    refined.check()
    assert {each.name: each.read_bytes() for each in file.parent.iterdir()} == before


def test_processes_that_write_at_once_lose_nothing(refined: Refined, file: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from longtake.memory.refined import Reading, Refined\n"
        "refined, kept = Refined(Path(sys.argv[1])), Reading.model_validate_json(sys.argv[2])\n"
        "for number in range(15):\n"
        "    refined.keep(kept.model_copy(update={'video': f'{sys.argv[3]}-{number}'}))\n"
        "    refined.keep(kept)\n"
    )
    kept = reading(1, 2, "kettle").model_dump_json()
    arguments = [sys.executable, "-c", program, str(file), kept]
    writers = [subprocess.Popen([*arguments, str(each)]) for each in range(3)]
    assert [writer.wait() for writer in writers] == [0] * 3
    for video in ("v", *(f"{each}-{number}" for each in range(3) for number in range(15))):
        assert [texts(each) for each in refined.readings(video, LAYERS)] == [["kettle"]]


def test_a_damaged_file_is_one_sentence(refined: Refined, file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"no database at all" * 100)
    for use in (refined.check, lambda: refined.readings("v", LAYERS), lambda: refined.keep(reading(1, 2))):
        with pytest.raises(LibraryError, match=r"The readings in .*memory.sqlite cannot be used .*move it away"):
            use()


def test_a_damaged_reading_is_one_sentence(refined: Refined, file: Path) -> None:
    refined.keep(reading(1, 2, "kettle"))
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE readings SET reading = '{'")
    with pytest.raises(LibraryError, match=r"one of them is damaged"):
        refined.find("v", RECIPE, TimeSpan(start=1, end=2))


def test_a_video_takes_its_readings_along(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    videos = [
        VideoRecord(
            id=name, name=f"{name}.mp4", path=f"/x/{name}", size=9, modified=1, duration=9, layers={"scene_text": "key"}
        )
        for name in ("v", "w")
    ]
    for video in videos:
        library.save(video)
        library.refined.keep(reading(1, 2, "kettle", video=video.id))
    Notes(library.memory_file).add("t", "a note")
    library.export(videos[0], tmp_path / "copy")
    copied = (tmp_path / "copy" / "readings.jsonl").read_text(encoding="utf-8").splitlines()
    assert [Reading.model_validate_json(line) for line in copied] == [reading(1, 2, "kettle")]
    library.delete(videos[0])
    assert library.refined.readings("v", LAYERS) == []
    assert len(library.refined.readings("w", LAYERS)) == 1
    assert len(Notes(library.memory_file).search("t", "", 9)) == 1
