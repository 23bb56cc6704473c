"""What this machine can carry."""

from __future__ import annotations

import os

import pytest

from longtake.models.machine import usable_cores


@pytest.mark.parametrize(("variable", "cores"), [("1", 1), ("0", 1), ("100000", None), ("many", None)])
def test_no_more_cores_are_used_than_openmp_may(
    variable: str, cores: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    allowed = usable_cores()
    assert 1 <= allowed <= (os.cpu_count() or 1)
    monkeypatch.setenv("OMP_NUM_THREADS", variable)
    assert usable_cores() == (cores or allowed)
