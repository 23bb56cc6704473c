"""Layer items as evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longtake.memory.layers import Layer
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan


def evidence_of(
    item: Mapping[str, Any], content: str, modality: Modality, layer: Layer, video: str, *, confidence: float = 1.0
) -> Evidence:
    """Evidence for one item of a layer, over the item's own span."""
    return Evidence(
        video=video,
        span=TimeSpan(start=item["start"], end=item["end"]),
        modality=modality,
        content=content,
        score=confidence,
        engine=layer.engine,
        layer=layer.key,
        box=item.get("box"),
    )
