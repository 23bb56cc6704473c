"""Whether the questions about a clip are read right."""

from __future__ import annotations

import pytest

from longtake.agent.query.query import SOURCES, TARGETS, Reading, Source
from longtake.benchmarks.clips.clips_sources import reads_right


class Certain:
    """Reads every question as asking for one source."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def read(self, question: str) -> Reading:
        sources: dict[Source, float] = {name: 0.65 if name == self._source else 0.05 for name in SOURCES}
        return Reading(sources=sources, targets=dict.fromkeys(TARGETS, 0.0))


@pytest.mark.parametrize(
    ("modality", "fitting"),
    [
        ("ocr", {"text"}),
        ("speech", {"speech"}),
        ("subtitle", {"speech"}),
        ("audio", {"sound"}),
        ("visual", {"picture", "shots", "motion", "file"}),
        ("image", {"picture", "shots", "motion", "file"}),
    ],
)
def test_a_source_fits_the_modality_of_the_gold(modality: str, fitting: set[str]) -> None:
    assert {name for name in SOURCES if reads_right(Certain(name), "?", modality)} == fitting
