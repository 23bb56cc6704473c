"""What language and vision models are asked while videos are indexed, told before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from longtake.console import counted
from longtake.memory.library import LibraryStore
from longtake.memory.records import Record
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.captions import Captions
from longtake.preprocess.layers.outline import Outline, asked_of
from longtake.preprocess.layers.sections import MOST
from longtake.preprocess.pipeline.estimate import rates_of
from longtake.settings import Settings

_PICTURE = 350  # tokens of a keyframe: patches of 28 by 28 pixels, as Qwen2.5-VL counts; others count up to 1,100
_CAPTION, _SECTION = 700, 2500  # tokens of a request without pictures, and of its reply
_SECTION_SECONDS = 180.0  # that a section of a long video has, about


class ModelCost(Record):
    """What one layer asks of its model, about: held pictures are described once, and count here as often as shown."""

    layer: str
    calls: int
    pictures: int
    tokens: int
    minutes: float | None  # by what it took in this library; none if it never ran here

    @property
    def text(self) -> str:
        """The costs as a line of text."""
        pictures = f" with {self.pictures:,} pictures" if self.pictures else ""
        time = "" if self.minutes is None else f", about {max(1, round(self.minutes))} min"
        return f"{self.layer}: about {counted(self.calls, 'request')}{pictures}, about {self.tokens:,} tokens{time}"


def model_costs(
    library: LibraryStore, settings: Settings, engines: EngineTable, durations: Sequence[float]
) -> tuple[ModelCost, ...]:
    """The costs of indexing videos with these durations in seconds, for each layer whose model is set."""
    sees, asked = engines.report("captions").engine is not None, asked_of(settings)
    rates, _ = rates_of(library) if sees or asked else ({}, 0)
    found = []
    if sees:
        own = settings.captions
        calls = sum(ceil(seconds / own.every) for seconds in durations)
        pictures = calls * min(own.pictures, ceil(own.every))
        tokens = calls * _CAPTION + pictures * _PICTURE
        found.append(_cost(Captions.name, calls, pictures, tokens, rates, durations))
    if asked:
        calls = sum(1 + min(MOST, ceil(seconds / _SECTION_SECONDS)) for seconds in durations)
        found.append(_cost(Outline.name, calls, 0, calls * _SECTION, rates, durations))
    return tuple(found)


def _cost(
    layer: str, calls: int, pictures: int, tokens: int, rates: Mapping[str, float], durations: Sequence[float]
) -> ModelCost:
    minutes = rates[layer] * sum(durations) / 60 if layer in rates else None
    return ModelCost(layer=layer, calls=calls, pictures=pictures, tokens=tokens, minutes=minutes)
