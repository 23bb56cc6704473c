"""How much of this machine a model may use."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


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
