"""Who reads the questions about a clip, and whether they are read right."""

from __future__ import annotations

import pytest

from longtake.agent.query.bank import load_bank
from longtake.agent.query.query import SOURCES, TARGETS, Reading, Source
from longtake.agent.query.reader import LearnedReader, RefittedReader
from longtake.bench.clips.clip_readers import ClipReaders, reads_right
from longtake.preprocess.engines import EngineTable
from longtake.settings import Settings

ABOUT = "PySceneDetect/counter.mp4"


class Certain:
    """Reads every question as asking for one source."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def read(self, question: str) -> Reading:
        sources: dict[Source, float] = {name: 0.65 if name == self._source else 0.05 for name in SOURCES}
        return Reading(sources=sources, targets=dict.fromkeys(TARGETS, 0.0))


def test_a_clips_wordings_do_not_teach_who_reads_them() -> None:
    engines = EngineTable(Settings())
    own = next(example.question for example in load_bank() if example.clip == ABOUT)
    refitted = RefittedReader(LearnedReader(engines).embedding)
    read = ClipReaders(engines).excluding(ABOUT).read(own)
    assert read == refitted.excluding({ABOUT}).read(own)
    assert read != refitted.excluding(()).read(own)


def test_a_clip_that_is_not_in_the_bank_is_read_by_the_shipped_heads() -> None:
    assert isinstance(ClipReaders(EngineTable(Settings())).excluding("clips/ferry.mp4"), LearnedReader)


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
