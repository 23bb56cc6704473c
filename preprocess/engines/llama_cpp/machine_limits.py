"""How much of this machine a model may use."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from longtake.models.machine import usable_cores

_CGROUP = Path("/sys/fs/cgroup")
_SIDE = 64  # of matrices that are small enough for a single thread to multiply them
_PRODUCTS = 2_000
_REACHED = 0.4  # share of the rate that llama.cpp reaches with 4-bit weights, measured with SmolLM2 on two cores


def memory_left() -> int:
    """Bytes that are free or can be freed, within the limit of the container if there is one."""
    import psutil

    left = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):  # no cgroup, or "max": no limit
        used = int((_CGROUP / "memory.current").read_text())
        freeable = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
        left = min(left, int((_CGROUP / "memory.max").read_text()) - used + int(freeable["inactive_file"]))
    return left


def threads_to_use() -> int:
    """All cores that this process may use but one, so that other work doesn't hold up every thread."""
    import psutil

    cores = usable_cores()
    return max(1, min(cores, psutil.cpu_count(logical=False) or cores) - 1)


@cache
def operations_a_second() -> float:
    """Floating-point operations a second at which a model is read here, by matrix products that are timed once."""
    one = np.ones((_SIDE, _SIDE), np.float32)
    took: list[float] = []
    for _ in range(_PRODUCTS):
        started = time.perf_counter()
        np.matmul(one, one)
        took.append(time.perf_counter() - started)
    # The slower products were disturbed.
    return _REACHED * 2.0 * _SIDE**3 / min(took) * threads_to_use()
