"""The layer store: whole or not there, the same bytes for the same recipe."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from helpers.data.layers import new_layer

from longtake.errors import LibraryError
from longtake.memory.layers import LayerRecipe, LayerStore, canonical_json
from longtake.memory.timespan import TimeSpan

RECIPE = LayerRecipe("subtitles", 1, "subtitles-1", {"b": 2, "a": 1}, {"talk.srt": "0f"})


def build(store: LayerStore, recipe: LayerRecipe = RECIPE) -> None:
    with new_layer(store, recipe) as writer:
        writer.add({"start": 0.0, "end": 1.5, "text": "déjà vu"})
        (writer.folder / "more.bin").write_bytes(b"\x00\x01")
        writer.cover([TimeSpan(start=0, end=4)])


def tree(root: Path) -> dict[str, bytes]:
    return {str(file.relative_to(root)): file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file()}


def test_a_finished_layer_gives_its_items_and_coverage(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    build(store)
    layer = store.get("subtitles", RECIPE.key)
    assert layer is not None
    assert list(layer.items()) == [{"start": 0.0, "end": 1.5, "text": "déjà vu"}]
    assert (layer.count, layer.engine, layer.share(8)) == (1, "subtitles-1", 0.5)


def test_the_same_recipe_gives_the_same_bytes(tmp_path: Path) -> None:
    build(LayerStore(tmp_path / "one"))
    build(LayerStore(tmp_path / "two"))
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert len(tree(tmp_path / "one")) == 3


def test_building_a_layer_twice_keeps_the_first_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    build(store)
    before = tree(tmp_path)
    build(store)
    assert tree(tmp_path) == before


def test_the_order_of_settings_does_not_change_the_key_but_each_part_of_the_recipe_does() -> None:
    same = LayerRecipe("subtitles", 1, "subtitles-1", {"a": 1, "b": 2}, {"talk.srt": "0f"})
    assert same.key == RECIPE.key
    others = [
        LayerRecipe("subtitles", 2, "subtitles-1", RECIPE.settings, RECIPE.inputs),
        LayerRecipe("subtitles", 1, "subtitles-2", RECIPE.settings, RECIPE.inputs),
        LayerRecipe("subtitles", 1, "subtitles-1", {"a": 1, "b": 3}, RECIPE.inputs),
        LayerRecipe("subtitles", 1, "subtitles-1", RECIPE.settings, {"talk.srt": "10"}),
        LayerRecipe("speech", 1, "subtitles-1", RECIPE.settings, RECIPE.inputs),
    ]
    assert len({recipe.key for recipe in [RECIPE, *others]}) == 6


def test_facts_of_a_build_lie_beside_the_layer(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    build(store)
    inside = tree(tmp_path / "subtitles" / RECIPE.key)
    store.record_run("subtitles", RECIPE.key, {"seconds": 1.2})
    assert tree(tmp_path / "subtitles" / RECIPE.key) == inside
    assert json.loads((tmp_path / "subtitles" / f"{RECIPE.key}.run.json").read_text()) == {"seconds": 1.2}


@pytest.mark.parametrize(
    ("content", "sound"),
    [
        (b"", {}),
        (b"[]", {}),
        (b"7", {}),
        (b"null", {}),
        (b"\xff", {}),
        (None, {}),
        (b'{"left_out": "abc", "gpu": true}', {"gpu": True}),
        (b'{"left_out": [1], "seconds": 2}', {"seconds": 2}),
        (b'{"left_out": null, "seconds": "2", "memory": NaN, "core_seconds": -1, "chunks_made": []}', {}),
        (b'{"left_out": ["None of it."]}', {"left_out": ["None of it."]}),
    ],
)
def test_damaged_facts_of_a_build_cost_only_themselves(
    tmp_path: Path, content: bytes | None, sound: dict[str, Any]
) -> None:
    store = LayerStore(tmp_path)
    build(store)
    layer = store.get("subtitles", RECIPE.key)
    assert layer is not None
    file = layer.path.with_name(f"{layer.key}.run.json")
    if content is None:
        file.mkdir()  # it can't be read
    else:
        file.write_bytes(content)
    assert store.run(layer.name, layer.key) == sound
    assert layer.left_out() == tuple(sound.get("left_out", ()))


def test_a_number_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"x": float("nan")})


@pytest.mark.parametrize("line", [b"{broken", b'{"text": "\xff"}'])
def test_a_damaged_item_says_which_layer_and_what_to_do(tmp_path: Path, line: bytes) -> None:
    store = LayerStore(tmp_path)
    build(store)
    layer = store.get("subtitles", RECIPE.key)
    assert layer is not None
    with (layer.path / "items.jsonl").open("ab") as items:
        items.write(line + b"\n")
    with pytest.raises(LibraryError, match=r"layer .*subtitles.*index the video again"):
        list(layer.items())


def test_a_layer_that_is_deleted_while_it_is_read_is_not_there(tmp_path: Path) -> None:
    store = LayerStore(tmp_path / "layers")
    build(store)
    facts = tmp_path / "layers" / RECIPE.name / RECIPE.key / "layer.json"
    written = facts.read_text()
    facts.unlink()
    os.mkfifo(facts)  # so that reading it waits
    with ThreadPoolExecutor(1) as beside:
        layer = beside.submit(store.get, RECIPE.name, RECIPE.key)
        with facts.open("w") as pipe:  # from here on it is being read
            store.root.rename(tmp_path / "deleted")
            pipe.write(written)
        assert layer.result() is None
