"""The costs of engines: every one that can be used is measured, and of the others it is said why not."""

from __future__ import annotations

from longtake.benchmarks.parts.engine_costs import measure_engines, show_engines
from longtake.config import load
from longtake.preprocess.engines.engine_table import ENGINES


def test_every_engine_is_measured_or_named_with_a_reason() -> None:
    report = measure_engines(load(), lambda line: None)
    measured = {f"{cost.capability}.{cost.engine}" for cost in report.costs}
    assert {"shots.content", "scene_text.rapidocr", "text_embedding.minilm", "objects.opencv"} <= measured
    assert all(cost.each > 0 for cost in report.costs)
    capabilities = {cost.capability for cost in report.costs} | {name.split(".")[0] for name in report.unusable}
    assert measured.isdisjoint(report.unusable)
    assert measured | report.unusable.keys() == {
        f"{capability}.{name}" for capability in capabilities for name in ENGINES[capability]
    }
    assert len(show_engines(report)) == 1 + len(report.costs) + len(report.unusable)
