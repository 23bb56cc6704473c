"""Segments: their length, and where they begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.data.written_layers import write_layer

from longtake.memory.layers import Layer, LayerStore
from longtake.preprocess.analysis.segment_spans import segment_spans


def layers(folder: Path, starts: Mapping[str, Sequence[float]]) -> dict[str, Layer]:
    store = LayerStore(folder)
    return {
        name: write_layer(store, name, *({"start": start, "end": start + 1} for start in times))
        for name, times in starts.items()
    }


@pytest.mark.parametrize(
    ("duration", "starts", "count"),
    [
        (1.0, {}, (1, 1)),
        (60.0, {}, (4, 8)),  # one shot, nothing said
        (3600.0, {"shots": [1.2 * number for number in range(3000)]}, (300, 420)),
        (600.0, {"speech": [3.7 * number for number in range(160)]}, (45, 75)),
        (36000.0, {"shots": [float(number) for number in range(0, 36000, 7)]}, (1200, 2000)),
    ],
)
def test_segments_fill_the_video_and_are_neither_short_nor_long(
    tmp_path: Path, duration: float, starts: dict[str, list[float]], count: tuple[int, int]
) -> None:
    spans = segment_spans(layers(tmp_path, starts), duration, 10.0)
    assert (spans[0].start, spans[-1].end) == (0.0, duration)
    assert all(one.end == other.start for one, other in pairwise(spans))
    assert count[0] <= len(spans) <= count[1]
    usual = max(10.0, duration / 2000)
    assert all(span.length <= 3 * usual for span in spans)
    assert all(span.length >= usual / 2 for span in spans) or len(spans) == 1


@pytest.mark.parametrize(
    ("starts", "begin"),
    [
        ({"shots": [0.0, 8.0, 19.0, 33.0]}, {8.0, 19.0, 33.0}),
        ({"scene_text": [0.0, 12.5, 21.0, 30.5], "speech": [4.0, 10.0, 18.0, 27.0]}, {12.5, 21.0, 30.5}),
        ({"speech": [0.0, 9.0, 18.5, 29.0]}, {9.0, 18.5, 29.0}),
    ],
)
def test_they_begin_where_something_begins(tmp_path: Path, starts: dict[str, list[float]], begin: set[float]) -> None:
    assert begin <= {span.start for span in segment_spans(layers(tmp_path, starts), 40.0, 10.0)}


def test_a_video_without_length_has_none() -> None:
    assert segment_spans({}, 0.0, 10.0) == []
