"""`bench cluster`: every side indexes every clip, and the ratios are those of the seconds."""

from __future__ import annotations

import pytest

from longtake.benchmarks.parts.cluster_scaling import measure_cluster, show_cluster


def test_every_side_is_measured() -> None:
    pytest.importorskip("ray", reason="needs the extra `ray`: pip install 'longtake[ray]'")
    found = measure_cluster(2, lambda _: None)
    assert set(found.seconds) == {"alone", "one node", "two nodes"}
    assert found.speedup == found.seconds["one node"] / found.seconds["two nodes"]
    assert found.overhead == (found.seconds["one node"] - found.seconds["alone"]) / 2
    assert found.planned["one node"] == pytest.approx(2 * found.planned["two nodes"])
    assert len(show_cluster(found)) == 6
