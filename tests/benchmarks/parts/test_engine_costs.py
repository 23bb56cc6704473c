"""The costs of engines: every one that can be used is measured, and of the others it is said why not."""

from __future__ import annotations

from longtake.benchmarks.parts.engine_costs import measure_engines
from longtake.console import Session
from longtake.preprocess.engines.engine_table import ENGINES


def test_every_engine_is_measured_or_named_with_a_reason() -> None:
    report = measure_engines(Session(), lambda line: None)
    measured = {cost.engine for cost in report.costs}
    unusable = {line.partition(":")[0] for line in report.unusable}
    assert {"shots.content", "scene_text.rapidocr", "text_embedding.minilm", "objects.opencv"} <= measured
    assert all(cost.each > 0 for cost in report.costs)
    capabilities = {name.partition(".")[0] for name in measured | unusable}
    assert measured.isdisjoint(unusable)
    assert measured | unusable == {
        f"{capability}.{name}" for capability in capabilities for name in ENGINES[capability]
    }
