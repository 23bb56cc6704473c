"""Layers written by hand, and built by a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from longtake.memory.building import LayerWriter, build_layers
from longtake.memory.layers import Layer, LayerRecipe, LayerStore
from longtake.preprocess.layers.step import IndexJob, Step


@contextmanager
def new_layer(store: LayerStore, recipe: LayerRecipe) -> Iterator[LayerWriter]:
    """The writer of one layer, which is in place when the block ends."""
    with build_layers(store.root, [recipe]) as building:
        yield building.writers[recipe.name]


def layer_of(step: Step, job: IndexJob, store: LayerStore) -> Layer:
    """The one layer that a step makes of a job."""
    [recipe] = step.recipes(job)
    with new_layer(store, recipe) as writer:
        step.build(job, {recipe.name: writer})
    layer = store.get(recipe.name, recipe.key)
    assert layer
    return layer
