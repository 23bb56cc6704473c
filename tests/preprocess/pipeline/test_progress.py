"""Estimates of the time a step should still take."""

from __future__ import annotations

import pytest

from longtake.preprocess.pipeline.progress import Stopwatch


def test_the_rest_is_expected_to_go_as_quickly_as_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([100.0, 110.0, 130.0])
    monkeypatch.setattr("longtake.preprocess.pipeline.progress.time.monotonic", lambda: next(now))
    stopwatch = Stopwatch("scene_text")
    assert stopwatch.at(0.0).seconds_left is None
    assert stopwatch.at(0.25).seconds_left == pytest.approx(30)
    assert stopwatch.at(0.75).seconds_left == pytest.approx(10)


def test_what_an_earlier_process_did_does_not_make_this_one_look_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 10.0])
    monkeypatch.setattr("longtake.preprocess.pipeline.progress.time.monotonic", lambda: next(now))
    stopwatch = Stopwatch("scene_text")
    assert stopwatch.at(0.8).seconds_left is None
    assert stopwatch.at(0.9).seconds_left == pytest.approx(10)
