"""`bench scale`: every size is searched with every filter."""

from __future__ import annotations

import sys

import pytest

from longtake.benchmarks.parts.search_scale import measure_scale


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read as Linux reports it")
def test_report_holds_each_size() -> None:
    report = measure_scale(lambda _: None, [700, 250])
    assert [size.documents for size in report.sizes] == [250, 700]
    for size in report.sizes:
        assert min(size.first_search, size.peak, size.resident) > 0
    assert len({(search.documents, search.where) for search in report.searches}) == 8
    assert all(search.p95 > 0 for search in report.searches)
