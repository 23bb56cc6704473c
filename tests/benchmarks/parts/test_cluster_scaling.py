"""`bench cluster`: every side indexes every clip, and the ratios are those of the seconds."""

from __future__ import annotations

import pytest

from longtake.benchmarks.parts.cluster_scaling import measure_cluster


def test_every_side_is_measured() -> None:
    pytest.importorskip("ray", reason="needs the extra `ray`: pip install 'longtake[ray]'")
    found = measure_cluster(lambda _: None, 2)
    alone, one, two = (found.sides[name] for name in ("alone", "one-node", "two-nodes"))
    assert found.speedup == one.seconds / two.seconds
    assert found.overhead == (one.seconds - alone.seconds) / 2
    assert alone.planned is None
    assert one.planned == pytest.approx(2 * (two.planned or 0))
