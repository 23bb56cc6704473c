"""Turns layer items into evidence, and tells which part of a span a layer has examined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longtake.language.text import without_bullet
from longtake.memory.layers import Layer
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan

SLACK = 0.5  # seconds at the edges of streams, which rarely start and end together


def evidence_of(
    item: Mapping[str, Any], content: str, modality: Modality, layer: Layer, video: str, *, confidence: float = 1.0
) -> Evidence:
    """Evidence for one item of a layer, with the item's span. It is trusted unless the item says otherwise."""
    return Evidence(
        video=video,
        span=TimeSpan(start=item["start"], end=item["end"]),
        modality=modality,
        content=without_bullet(content),
        score=confidence,
        engine=layer.engine,
        layer=layer.key,
        box=item.get("box"),
        trusted=item.get("trusted", True),
    )


def examined(layer: Layer, span: TimeSpan) -> tuple[TimeSpan, ...]:
    """The parts of a span that a layer covers, in order. Nothing else was examined."""
    return tuple(
        TimeSpan(start=max(part.start, span.start), end=min(part.end, span.end))
        for part in layer.covered
        if part.overlaps(span)
    )


def unexamined(layer: Layer, span: TimeSpan, reader: Layer | None = None) -> tuple[str, ...]:
    """Notes if a layer covers a span only in part: how much, and what of the file couldn't be read.

    Args:
        layer: the layer.
        span: the span.
        reader: the layer that knows what couldn't be read, if that isn't `layer` itself.
    """
    seconds = sum(part.length for part in examined(layer, span))
    if span.length == 0 or seconds >= span.length - SLACK:
        return ()
    return (f"only {seconds:.1f} of {span.length:.1f} s of it were examined", *(reader or layer).left_out())
