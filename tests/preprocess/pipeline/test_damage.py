"""Damage to any file of a library: what doesn't need that file is answered, and the next question mends what it can."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from helpers.asking import VIDEO
from helpers.libraries import SETTINGS

from longtake.agent.graph.agent import Agent
from longtake.benchmarks.faults.damage import DAMAGES, damage_file
from longtake.memory.search.store import NAME
from longtake.preprocess.pipeline.library_check import check_library
from longtake.preprocess.pipeline.workspace import Workspace

COST, GOLD = "How much does the blue kettle cost?", "249 dollars"
LAYERS = ("subtitles", "shots", "text_frames", "sounds", "scene_text", "text_vectors")
LAYER_FILES = (*(f"{layer}/*/items.jsonl" for layer in LAYERS), "moments/*/layer.json")


def answer(root: Path, video: str = VIDEO) -> tuple[str, bool]:
    """The status of an answer about the price, from a library opened anew, and whether it says the price."""
    asked = Agent(Workspace(root, SETTINGS)).ask([video], COST)
    return asked.status, GOLD in asked.answer


def problems(root: Path) -> tuple[str, ...]:
    return check_library(root, SETTINGS).problems


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("where", ["beginning", "text"])
def test_a_damaged_index_is_built_again_from_the_layers(
    own_workspace: Workspace, where: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    root = own_workspace.library.root
    file = root / "index" / NAME
    damage_file(file, damage, 20 if where == "beginning" else file.read_bytes().index(GOLD.encode()))
    assert answer(root) == ("answered", True)
    assert len([record for record in caplog.records if "built again from the layers" in record.message]) == 1
    assert answer(root) == ("answered", True)
    assert problems(root) == ()


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("file", LAYER_FILES)
def test_a_damaged_layer_costs_only_what_needs_it(own_workspace: Workspace, file: str, damage: str) -> None:
    library = own_workspace.library
    video = library.resolve(VIDEO)
    (damaged,) = library.layers(video.id).root.glob(file)
    damage_file(damaged, damage, damaged.stat().st_size // 2)
    assert answer(library.root) == ("answered", True)
    (problem,) = problems(library.root)
    assert file.partition("/")[0] in problem
    assert VIDEO in problem
    assert f"`longtake index {video.path}`" in problem


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(
    "file", ["layers/*/*/layer.json", "layers/*/*/items.jsonl", "layers/text_vectors/*/vectors.npy"]
)
def test_indexing_renews_damaged_layers(own_workspace: Workspace, file: str, damage: str) -> None:
    library = own_workspace.library
    video = library.resolve(VIDEO)
    files = [each for each in library.layers(video.id).root.parent.glob(file) if each.stat().st_size]
    before = {each: each.read_bytes() for each in files}
    for each in files:
        damage_file(each, damage, each.stat().st_size // 3)
    assert problems(library.root)
    own_workspace.add(Path(video.path))
    assert problems(library.root) == ()
    assert {each: each.read_bytes() for each in files} == before


def damage_record(root: Path) -> None:
    for copy in root.glob("videos/*/video*.json"):
        damage_file(copy, "cut", 30)


def damage_format(root: Path) -> None:
    damage_file(root / "library.json", "cut", 3)


def damage_digit(root: Path) -> None:
    damage_file(root / "library.json", "flip", 10)


@pytest.mark.parametrize("damage", [damage_record, damage_format, damage_digit])
def test_a_question_about_the_file_mends_what_says_which_videos_there_are(
    own_workspace: Workspace, damage: Callable[[Path], None]
) -> None:
    library = own_workspace.library
    file = library.resolve(VIDEO).path
    damage(library.root)
    assert answer(library.root, file) == ("answered", True)
    assert answer(library.root) == ("answered", True)
    assert problems(library.root) == ()


@pytest.mark.parametrize("copy", ["video.json", "video.spare.json"])
def test_one_damaged_record_of_a_video_costs_nothing(own_workspace: Workspace, copy: str) -> None:
    root = own_workspace.library.root
    file = next(root.glob(f"videos/*/{copy}"))
    written = file.read_bytes()
    damage_file(file, "cut", 30)
    assert answer(root) == ("answered", True)
    assert problems(root) == ()
    Workspace(root, SETTINGS).add(Path(own_workspace.library.resolve(VIDEO).path))
    assert file.read_bytes() == written


def test_a_question_outside_every_thread_needs_no_memory(own_workspace: Workspace) -> None:
    own_workspace.library.memory_file.write_bytes(b"no database at all" * 100)
    assert answer(own_workspace.library.root) == ("answered", True)


@pytest.mark.parametrize("table", ["entries", "moments"])
def test_rows_that_are_gone_from_the_index_return(own_workspace: Workspace, table: str) -> None:
    root = own_workspace.library.root
    with closing(sqlite3.connect(root / "index" / NAME)) as connection, connection:
        connection.execute(f"DELETE FROM {table}")
    assert answer(root) == ("answered", True)
    assert answer(root) == ("answered", True)
    assert problems(root) == ()


def test_a_damaged_index_is_built_again_without_a_damaged_layer(own_workspace: Workspace) -> None:
    root = own_workspace.library.root
    damage_file(next(root.glob("videos/*/layers/sounds/*/items.jsonl")), "zero", 0)
    damage_file(root / "index" / NAME, "zero", 0)
    assert answer(root) == ("answered", True)
    assert len(problems(root)) == 1


def test_a_question_that_a_damaged_layer_may_answer_says_how_to_renew_it(own_workspace: Workspace) -> None:
    library = own_workspace.library
    video = library.resolve(VIDEO)
    damage_file(next(library.layers(video.id).root.glob("shots/*/items.jsonl")), "cut", 5)
    asked = Agent(Workspace(library.root, SETTINGS)).ask([VIDEO], "How many shots are there?")
    assert asked.status != "answered"
    assert VIDEO in asked.answer
    assert f"`longtake index {video.path}`" in asked.answer
