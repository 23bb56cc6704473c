"""Building layers: whole or not there, and chunks that outlive the process that made them."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from longtake.memory.building import FOLDER, Chunks, build_layers, forget_unfinished, settle
from longtake.memory.layers import LayerRecipe, LayerStore

SHOTS = LayerRecipe("shots", 1, "cutter")
STILL = LayerRecipe("still", 1, "looker")


def build_half(root: Path, *recipes: LayerRecipe) -> None:
    """A build that is stopped with one chunk done and an item written."""
    with suppress(KeyboardInterrupt), build_layers(root, recipes) as building:
        building.writers["shots"].add({"start": 0, "end": 99})
        building.chunks.put("00000", b"found so far")
        raise KeyboardInterrupt


def test_a_build_that_fails_leaves_its_chunks_and_no_layer(tmp_path: Path) -> None:
    build_half(tmp_path, SHOTS, STILL)
    assert LayerStore(tmp_path).get("shots", SHOTS.key) is None
    with build_layers(tmp_path, [STILL, SHOTS]) as building:
        assert building.chunks.get("00000") == b"found so far"
        assert building.chunks.get("00001") is None
        assert (building.chunks.reused, building.chunks.made) == ({"00000"}, set())
    assert LayerStore(tmp_path).get("shots", SHOTS.key) is not None
    assert not list((tmp_path / FOLDER).iterdir())


def test_other_recipes_do_not_take_up_the_chunks(tmp_path: Path) -> None:
    build_half(tmp_path, SHOTS)
    with build_layers(tmp_path, [LayerRecipe("shots", 2, "cutter")]) as building:
        assert building.chunks.get("00000") is None


def test_nothing_of_a_failed_build_gets_into_the_layer_of_the_next(tmp_path: Path) -> None:
    build_half(tmp_path, SHOTS)
    with build_layers(tmp_path, [SHOTS]) as building:
        building.writers["shots"].add({"start": 0, "end": 1})
    layer = LayerStore(tmp_path).get("shots", SHOTS.key)
    assert layer is not None
    assert [item["end"] for item in layer.items()] == [1]


def test_what_was_built_whole_is_put_in_place_by_the_next_process(tmp_path: Path) -> None:
    script = """
import os, sys
from pathlib import Path
from longtake.memory.building import build_layers
from longtake.memory.layers import LayerRecipe
os.rename = lambda *_: os._exit(9)  # as if killed just before the first layer is moved
recipes = [LayerRecipe("shots", 1, "cutter"), LayerRecipe("still", 1, "looker")]
with build_layers(Path(sys.argv[1]), recipes) as building:
    building.writers["shots"].add({"start": 0, "end": 7})
"""
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert killed.returncode == 9
    store = LayerStore(tmp_path)
    assert store.get("shots", SHOTS.key) is None
    settle(tmp_path)
    layer = store.get("shots", SHOTS.key)
    assert layer is not None
    assert [item["end"] for item in layer.items()] == [7]
    assert store.get("still", STILL.key) is not None


def test_chunks_of_a_discarded_build_are_gone(tmp_path: Path) -> None:
    with suppress(KeyboardInterrupt), build_layers(tmp_path, [SHOTS]) as building:
        building.chunks.put("00000", b"of another file")
        building.discard()
        raise KeyboardInterrupt
    with build_layers(tmp_path, [SHOTS]) as building:
        assert building.chunks.get("00000") is None


def test_unfinished_builds_can_be_forgotten(tmp_path: Path) -> None:
    build_half(tmp_path, SHOTS)
    forget_unfinished(tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("folder", ["on disk", None])
def test_a_chunk_made_here_does_not_count_as_reused(tmp_path: Path, folder: str | None) -> None:
    chunks = Chunks(tmp_path / folder if folder else None)
    chunks.put("state", b"1")
    chunks.put("state", b"2")
    assert chunks.get("state") == b"2"
    assert (chunks.made, chunks.reused) == ({"state"}, set())
