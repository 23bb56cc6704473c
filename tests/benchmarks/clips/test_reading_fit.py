"""Measuring reading on recordings: a report, and weights that load."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longtake.agent.controllers.extractive.ranking import FILE, Weights
from longtake.benchmarks.clips.reading_fit import fit_reading, show_reading
from longtake.benchmarks.clips.recordings import load_recordings
from longtake.errors import ConfigError
from longtake.preprocess.engines.text.ms_marco import missing_weights
from longtake.settings import Settings

RECORDINGS = 5


@pytest.mark.skipif(bool(missing_weights(Settings())), reason="needs the extra `weights`")
def test_what_is_read_is_measured_beside_search_and_the_weights_are_written(tmp_path: Path) -> None:
    settings = Settings.model_validate({"engines": {"text_embedding": ["wordllama"]}})
    recordings = load_recordings()[:RECORDINGS]
    report = fit_reading(settings, recordings, tmp_path, lambda _: None)
    questions = sum(len(each.questions) for each in recordings)
    answerable = sum(bool(one.answers) for each in recordings for one in each.questions)
    assert (report.recordings, report.questions) == (RECORDINGS, questions)
    assert report.read.best.n == report.searched.best.n == answerable
    assert report.read.best.count > report.searched.best.count
    assert all(str(share) in "\n".join(show_reading(report)) for share in (report.read.sure, report.searched.wrong))
    Weights.model_validate(json.loads((tmp_path / FILE).read_text())["wordllama"])


def test_without_a_reranker_there_is_nothing_to_measure(tmp_path: Path) -> None:
    settings = Settings.model_validate({"engines": {"reranking": []}})
    with pytest.raises(ConfigError, match="longtake\\[weights\\]"):
        fit_reading(settings, load_recordings()[:5], tmp_path, lambda _: None)
