"""One decode of a file through the step, and what it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from helpers.media.clips import Picture, noise, write_clip

from longtake.config import load
from longtake.memory.building import build_layers
from longtake.memory.layers import Layer, LayerStore
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.media import probe
from longtake.preprocess.visual_pass.visual_pass import VisualPass

Items = list[dict[str, Any]]


@dataclass(frozen=True)
class Pass:
    """What one pass left in a folder."""

    layers: Mapping[str, Layer]

    def items(self, name: str) -> Items:
        return list(self.layers[name].items())

    def spans(self, name: str) -> list[tuple[float, float]]:
        return [(item["start"], item["end"]) for item in self.items(name)]

    def picture(self, name: str, item: Mapping[str, Any]) -> Picture:
        image = cv2.imread(str(self.layers[name].path / item["file"]))
        assert image is not None
        return np.asarray(image, dtype=np.uint8)


def look_through(path: Path, root: Path, *overrides: str) -> Pass:
    """The pass over a file."""
    settings = load("embedded", overrides)
    job = IndexJob(path, probe(path), settings, EngineTable(settings))
    step, store = VisualPass(), LayerStore(root)
    recipes = step.recipes(job)
    with build_layers(root, recipes) as building:
        step.build(replace(job, chunks=building.chunks), building.writers)
    layers = {recipe.name: store.get(recipe.name, recipe.key) for recipe in recipes}
    return Pass({name: layer for name, layer in layers.items() if layer})


def look_at(tmp_path: Path, pictures: Iterable[Picture], *overrides: str) -> Pass:
    """The pass over pictures at 25 a second."""
    tmp_path.mkdir(exist_ok=True)
    return look_through(write_clip(tmp_path / "clip.mkv", pictures), tmp_path / "layers", *overrides)


def scenes(*lengths: int) -> list[Picture]:
    """So many frames of one picture each."""
    return [noise(seed) for seed, length in enumerate(lengths) for _ in range(length)]


def texture(seed: int, width: int = 320, height: int = 180) -> Picture:
    """A picture with fine detail, of its own for each seed."""
    grain = np.random.default_rng(seed).integers(0, 256, (height // 4, width // 4, 3), dtype=np.uint8)
    blurred = cv2.GaussianBlur(cv2.resize(grain, (width, height), interpolation=cv2.INTER_CUBIC), (0, 0), 2)
    # OpenCV's stubs want a destination.
    spread = cv2.normalize(blurred, None, 0, 255, cv2.NORM_MINMAX)  # type: ignore[call-overload]
    return np.asarray(spread, dtype=np.uint8)


def mixed(one: Picture, share: float, other: Picture) -> Picture:
    """A picture with a share of `one` and the rest of `other`."""
    return np.asarray(cv2.addWeighted(one, share, other, 1 - share, 0), dtype=np.uint8)
