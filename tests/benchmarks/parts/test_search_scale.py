"""`bench scale`: the shape of the report, and the extrapolation."""

from __future__ import annotations

import sys

import pytest

from longtake.benchmarks.parts.search_scale import FAR, extrapolate, measure_scale, show_scale


def test_times_on_a_line_are_extrapolated_along_it() -> None:
    assert extrapolate([100_000, 200_000, 400_000], [3.0, 4.0, 6.0]) == pytest.approx(2 + FAR / 100_000)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read as Linux reports it")
def test_report_holds_each_size() -> None:
    report = measure_scale([700, 250, 1000], lambda _: None)
    assert [(size.documents, size.videos) for size in report.sizes] == [(250, 3), (700, 8), (1000, 11)]
    for size in report.sizes:
        assert min(size.write, size.first_query, size.peak, size.resident, size.bytes_on_disk) > 0
        assert size.searches.keys() == report.extrapolated.keys()
        for each in size.searches.values():
            assert 0 < each.p50 <= each.p95
            assert each.cpu >= 0
    assert len(show_scale(report)) == 1 + 3 * 6 + 4
    assert measure_scale([250], lambda _: None).extrapolated == {}
