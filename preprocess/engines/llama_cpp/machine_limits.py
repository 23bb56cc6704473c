"""How much of this machine a model may use."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

_CGROUP = Path("/sys/fs/cgroup")
_SIDE, _LEAST = 768, 0.05  # of the matrices that are multiplied, and for how many seconds


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

    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(allowed, psutil.cpu_count(logical=False) or allowed) - 1)


@cache
def operations_a_second() -> float:
    """Floating-point operations a second of matrix products here, measured once, on the threads that a model uses."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    one = np.ones((_SIDE, _SIDE), np.float32)
    one @ one  # the first product starts threads
    started, products = time.perf_counter(), 0
    while time.perf_counter() - started < _LEAST:
        one @ one
        products += 1
    return 2.0 * _SIDE**3 * products / (time.perf_counter() - started) * threads_to_use() / cores
