"""A layer written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from longtake.memory.building import LayerWriter, build_layers
from longtake.memory.layers import LayerRecipe, LayerStore


@contextmanager
def new_layer(store: LayerStore, recipe: LayerRecipe) -> Iterator[LayerWriter]:
    """The writer of one layer, which is in place when the block ends."""
    with build_layers(store.root, [recipe]) as building:
        yield building.writers[recipe.name]
