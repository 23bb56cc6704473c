"""Finished layers of items made up by a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helpers.data.layers import new_layer
from helpers.media.clips import Picture

from longtake.memory.layers import Layer, LayerRecipe, LayerStore
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import encode_jpeg


def write_layer(
    store: LayerStore,
    name: str,
    *items: Mapping[str, Any],
    files: Mapping[str, bytes] | None = None,
    covered: Sequence[TimeSpan] = (),
) -> Layer:
    """A layer with these items and files."""
    recipe = LayerRecipe(name, 1, f"{name}-engine", {"items": len(items)})
    with new_layer(store, recipe) as writer:
        for item in items:
            writer.add(item)
        for file, content in (files or {}).items():
            (writer.folder / file).write_bytes(content)
        writer.cover(covered)
    layer = store.get(name, recipe.key)
    assert layer
    return layer


def write_keyframes(store: LayerStore, pictures: Sequence[Picture], shots: Sequence[tuple[int, int]] = ()) -> Layer:
    """One picture for each second, at its middle, and one for each shot (whole seconds): that of its middle second."""
    names = [f"{second:05d}.jpg" for second in range(len(pictures))]
    seconds = [
        {"time": second + 0.5, "start": second, "end": second + 1, "file": name, "kind": "second"}
        for second, name in enumerate(names)
    ]
    shown = [seconds[(start + end) // 2] | {"start": start, "end": end, "kind": "shot"} for start, end in shots]
    files = {name: encode_jpeg(picture, 90) for name, picture in zip(names, pictures, strict=True)}
    whole = TimeSpan(start=0, end=len(pictures))
    return write_layer(store, "keyframes", *seconds, *shown, files=files, covered=[whole])
